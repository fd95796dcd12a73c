"""A World with names and secrets taken out."""

from gangplan.cluster.anonymise.anonymise import anonymise as anonymise
