"""Requirements, suites, schemas, profiles and manifests: loaded, validated, linked. Pure data."""
