"""What a GraphQL schema lets a call ask for: kept schemas, selections, documents. Shared by source and transport."""
