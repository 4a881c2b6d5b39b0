"""A run on the workers of a cluster of this machine alone."""

import os

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

import ray
from said import ROWS

import assay

ray.init(
    num_cpus=2,
    object_store_memory=100 << 20,
    include_dashboard=False,
    logging_level="error",
    log_to_driver=False,
    _node_ip_address="127.0.0.1",
)
settings = assay.Settings(engine="ray")
assert assay.evaluate(ROWS, ["faithfulness"], settings=settings)["faithfulness"][0].value == 0.5
ray.shutdown()
