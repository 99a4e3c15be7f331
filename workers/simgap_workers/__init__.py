"""From bytes to a report: readers, behaviour, scoring, reports, store, and the jobs that use them."""
