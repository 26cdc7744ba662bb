"""What contenders are called, in reports and pages."""

ENGINE = "engine"
UNCACHED, CACHED = "service", "service, from its cache"
PLAIN, PLAIN_CACHED = "plain route", "plain route with a dict"
STAC = "stac-fastapi-opensearch"
SQL_ROUTE, TABLE_ROUTE = "datasette, SQL route", "datasette, table route"
FLOOR = "tantivy, in process"
PEER_SEARCH, PEER_RECORD = "Search", "One record"
