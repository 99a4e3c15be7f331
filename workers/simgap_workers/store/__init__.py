"""Where bytes live, what is remembered, what is published."""
