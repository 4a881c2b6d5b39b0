"""What stands between a judge and whoever answers: cache, limits, budget, routes, workers."""
