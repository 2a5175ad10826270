# What linear_logistic.pyx keeps.

cdef enum:
    N_MODELS = 3                        # with quick, bold and careful steps
    N_ADAPTIVE = 2                      # of them, the last ones, have steps that grow shorter

cdef extern from "thalweg/learners/logistic/_native/wide_inputs.h" nogil:
    ctypedef struct wide_inputs_t:
        double seen
        double rate
        double wildest
        double smallest
        double farthest
        const double* missing
        const char* is_common
        double* count
        double* mean
        double* variance
        double* centre
        double* scale
        double* u
        double* quick
    int vector_width() noexcept
    Py_ssize_t learn_inputs_wide(const wide_inputs_t* s, Py_ssize_t n) noexcept
    Py_ssize_t find_steps_wide(const double* squares, double* steps, Py_ssize_t n) noexcept

ctypedef struct linear_t:
    Py_ssize_t n_inputs
    Py_ssize_t n_classes
    Py_ssize_t n_filters                # of a model: one for two classes, else one a class
    Py_ssize_t n_lanes                  # filters of all models: lane = model x n_filters + filter
    double rate[N_MODELS]
    double decay
    double l2
    bint is_wide                        # whether the machine can do what is in wide_inputs.h
    double* seen                        # rows learned
    double* count                       # [input]: values that were neither 0 nor missing
    double* missing                     # [input]: values that were missing
    double* mean                        # [input]: of the values counted
    double* variance                    # [input]
    double* beta                        # [input, lane]
    double* square                      # [input, lane - n_filters]: sum of squared gradients
    double* constant                    # [lane]
    double* constant_square             # [lane - n_filters]
    double* weights                     # [model]
    double* information                 # [model, model]
    # what follows is no state: it follows from the state,
    double* centre                      # [input]
    double* scale                       # [input]
    char* is_common                     # [input]: 0 has its own value, to be looked at in every row
    Py_ssize_t* common                  # inputs of which that is true, in increasing order
    Py_ssize_t* n_common
    # or is scratch of learn
    Py_ssize_t* columns                 # [input]
    double* u                           # [input]
    double* quick                       # [input]: steps of the quick model
    double* steps                       # [input, lane - n_filters]
    double* z                           # [lane]
    double* q                           # [lane]
    double* size                        # [lane]
    double* moved                       # [lane]
    double* bounded                     # [lane]: z within bounds, then centred
    double* p                           # [class]
