# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which programs run with which arguments on how many ranks."""

# Example, arguments; each runs on every number of ranks below. The last lines of a block are the odd
# ones: sizes that nothing divides, fewer iterations than ranks, loops of no iteration.
EXAMPLES = [
    ("jacobi", "200 300 25"),
    ("jacobi", "67 1031 8"),
    ("jacobi", "5 9 4"),
    ("jacobi", "2 40 3"),
    ("sor", "150 20"),
    ("sor", "61 9"),
    ("sor", "4 3"),
    ("matmul", "120 2"),
    ("matmul", "37 1"),
    ("matmul", "2 1"),
    ("nbody", "300 4"),
    ("nbody", "17 3"),
    ("nbody", "1 2"),
    ("kmeans", "8000 6"),
    ("kmeans", "1001 4"),
    ("stream", "100000 4"),
    ("stream", "1023 3"),
    ("stream", "3 2"),
    ("heat3d", "12"),
    ("heat3d", "1"),
    ("heat3d", "0"),
    ("vector_jacobi", "150 20"),
    ("vector_jacobi", "41 7"),
    ("vector_jacobi", "3 2"),
    ("stack", "20000"),
    ("stack", "333"),
    ("stack", "4"),
]
EXAMPLE_RANKS = [1, 2, 3, 4]

# Feature programs are files and folders of features/; all run on one rank and on these.
FEATURE_RANKS = [2, 3, 4]

# Programs made at random: which module makes them, from which seed; how they run.
# The number says of how many parts, each independent of the others, a program consists.
SEED_LOOPS = {"rows": 20, "nests": 5, "kernels": 4, "constructs": 4, "teams": 32, "moving": 5,
              "places": 12, "conducted": 6, "threads": 8, "leagues": 8, "task_loops": 6}
SEEDS = [
    ("rows", 1, 2, {}),
    ("rows", 1, 3, {}),
    ("rows", 2, 3, {}),
    ("rows", 2, 2, {"TUTTI_DEVICE": "hybrid"}),
    ("nests", 2, 3, {}),
    ("nests", 3, 2, {}),
    ("constructs", 1, 3, {}),
    ("conducted", 201, 3, {}),
    ("conducted", 202, 2, {"TUTTI_DEVICE": "hybrid"}),
    ("task_loops", 1, 3, {}),
    ("task_loops", 2, 2, {"TUTTI_DEVICE": "hybrid"}),
    ("threads", 101, 3, {}),
    ("threads", 206, 2, {"TUTTI_DEVICE": "hybrid"}),
    ("leagues", 1, 3, {}),
    ("leagues", 2, 2, {"TUTTI_DEVICE": "hybrid"}),
    ("nests", 2, 1, {"TUTTI_DEVICE": "opencl"}),
    ("kernels", 1, 2, {}),
    ("kernels", 2, 3, {}),
    ("kernels", 1, 1, {"TUTTI_DEVICE": "opencl"}),
    ("kernels", 2, 2, {"TUTTI_DEVICE": "hybrid"}),
    ("constructs", 1, 2, {"TUTTI_DEVICE": "hybrid"}),
    ("teams", 4, 2, {}),
    ("moving", 1, 3, {}),
    ("moving", 2, 2, {}),
    ("moving", 3, 1, {"TUTTI_DEVICE": "opencl"}),
    ("moving", 4, 2, {"TUTTI_DEVICE": "hybrid"}),
    ("places", 1, 3, {}),
    ("places", 2, 2, {"TUTTI_DEVICE": "hybrid"}),
    ("places", 3, 1, {"TUTTI_DEVICE": "opencl"}),
    ("places", 4, 2, {}),
    ("teams", 7, 3, {}),
    ("teams", 7, 2, {"TUTTI_DISTRIBUTE": "auto"}),
    ("teams", 7, 2, {"TUTTI_DEVICE": "hybrid"}),
]
# How those of `--seeds` run.
SEED_SETTINGS = [
    (1, {}),
    (2, {}),
    (4, {}),
    (1, {"TUTTI_DEVICE": "opencl"}),
    (2, {"TUTTI_DEVICE": "opencl"}),
    (2, {"TUTTI_DEVICE": "hybrid"}),
    (1, {"TUTTI_DEVICE": "opencl", "TUTTI_DEVICE_MEMORY": "64K"}),
    (3, {"TUTTI_DEVICE": "hybrid", "TUTTI_DEVICE_MEMORY": "128K"}),
]
# Arguments that give programs so much work that loops are distributed unasked, and how those run.
SEED_WORK = {"teams": ["-1", "2000"]}
WORK_SETTINGS = [
    (2, {"TUTTI_DISTRIBUTE": "auto"}),
    (4, {"TUTTI_DISTRIBUTE": "auto"}),
]

# Features and examples whose data does not fit into the devices: arguments, TUTTI_DEVICE_MEMORY.
FULL_DEVICES = [
    ("arrays_in_turn", "1000000", "24M"),
    ("arrays_in_turn", "1000000", "8M"),
    ("stream", "1000000 3", "8M"),
    ("jacobi", "1000 1000 12", "4M"),
    ("heat3d", "40", "512K"),
    ("kmeans", "200000 4", "1M"),
    ("tiled_nests", "", "2M"),
]
# These do not run on devices of some KiB as well: thousands of portions.
LARGE = ["heat3d", "tiled_nests", "untouched_memory"]
FULL_DEVICE_RANKS = [1, 2, 3]

# Examples that must not have stayed on rank 0: at least this share of their launches is distributed.
DISTRIBUTED = [
    ("jacobi", "200 300 25"),
    ("sor", "150 20"),
    ("matmul", "120 2"),
    ("nbody", "300 4"),
    ("stream", "100000 4"),
    ("heat3d", "12"),
    ("vector_jacobi", "150 20"),
    ("kmeans", "8000 6"),
    ("stack", "20000"),
]

# The same of features.
DISTRIBUTED_FEATURES = ["arrays_of_pointers", "checks", "chosen", "complex", "complex_numbers",
                        "conducted_steps", "conducted_threads", "constants_constructed", "debug_information", "found_nodes",
                        "found_pointers", "gather_objects", "harmless_calls", "iterators", "launching_threads",
                        "left_values", "masked_indices", "merged_writes", "nested_constructs", "other_files",
                        "output", "own_containers", "private_allocations", "reduction_arrays", "reduction_best",
                        "rows_of_neighbours", "scatter_steady",
                        "shared_flags", "slots", "sparse", "sparse_steady", "target_conditions",
                        "target_nowait", "texts", "thread_numbers", "ties", "vectors_of_vectors"]

# Features that run with devices on several ranks, too.
FEATURES_ON_ALL_DEVICES = ["arrays_of_pointers", "chosen", "closed_order", "earlier_writes", "found_nodes",
                           "found_pointers", "gather_objects", "irregular", "launching_threads", "left_values", "merged_writes", "other_files",
                           "pieces_in_order", "random_indices", "remainders", "rows_of_neighbours", "scatter", "scatter_apart", "scatter_steady", "sparse",
                           "staged_loads", "stray_pointers", "vectors_of_vectors"]

# Programs whose measured results differ in the last digits that they print.
TOLERANCES = {"kmeans": 1e-6}
