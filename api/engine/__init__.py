"""Reads from OpenSearch: deadline, circuit breaker, one retry, the live release."""
