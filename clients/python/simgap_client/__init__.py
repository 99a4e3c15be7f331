"""What SimGap's service and its callers say to each other: `simgap_client.models`."""
