"""Price catalogs that come with kubestage; ``tools/price_catalog.py`` writes them."""
