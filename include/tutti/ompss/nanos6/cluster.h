/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file Memory and names of the nodes that tasks may run on. */
#ifndef TUTTI_NANOS6_CLUSTER_H
#define TUTTI_NANOS6_CLUSTER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Values for the clause `node`. */
enum {
  nanos6_cluster_no_offload = -1, /**< On the node of the creator. */
  nanos6_cluster_no_hint = -2     /**< Wherever it is best. */
};

typedef enum nanos6_data_distribution_t {
  nanos6_equpart_distribution = 0,
  nanos6_block_distribution,
  nanos6_cyclic_distribution
} nanos6_data_distribution_t;

int nanos6_in_cluster_mode(void);
int nanos6_is_master_node(void);
int nanos6_get_cluster_node_id(void);
int nanos6_get_num_cluster_nodes(void);

/** Memory of all nodes, for tasks that name it. Null if there is none left. */
void *nanos6_dmalloc(size_t size, nanos6_data_distribution_t policy, size_t num_dimensions,
                     size_t *dimensions);
void nanos6_dfree(void *ptr, size_t size);

/** Memory of the calling task's node. */
void *nanos6_lmalloc(size_t size);
void nanos6_lfree(void *ptr, size_t size);

#ifdef __cplusplus
}
#endif

#endif
