"""Benchmarks of latency and throughput, compared with OpenSearch and with alternative programs: `make bench`.

All contenders run on one machine and take short turns of equal length in several rounds, so that other load affects
all of them. Results are written to one JSON report; the page of figures is rendered from that file only.
"""
