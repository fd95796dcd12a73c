"""Requests and watches of the API server, and in few words what went wrong."""

from gangplan.cluster.client.client import STRATEGIC as STRATEGIC
from gangplan.cluster.client.client import Client as Client
from gangplan.cluster.client.client import Object as Object
from gangplan.cluster.client.client import connect as connect
