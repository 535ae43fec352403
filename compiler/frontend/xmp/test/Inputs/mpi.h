// Stands for MPI's own.
typedef struct communicator *MPI_Comm;
int MPI_Barrier(MPI_Comm);
