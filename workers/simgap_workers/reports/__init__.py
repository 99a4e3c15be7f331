"""One module a report kind, and how a report is rendered."""
