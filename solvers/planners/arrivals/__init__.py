"""Pods that arrive one after the other and never move: published and own placement rules."""
