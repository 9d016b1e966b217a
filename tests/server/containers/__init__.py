"""Tests of the inside of simulated containers."""
