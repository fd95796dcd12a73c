"""The configurations formulation: which groups a whole domain takes together."""
