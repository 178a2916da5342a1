"""Response shapes of model servers: one module for each, one `Response` out of all."""
