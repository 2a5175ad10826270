# The state and the settings of a particle filter, which its other files share.

from libc.stdint cimport uint64_t

from thalweg._native.failure cimport call_t, poll_signals
from thalweg._native.ring cimport ring_t

cdef extern from "thalweg/learners/particles/_native/scoring.h" nogil:
    enum:
        LANES
        TILE_ROWS
    ctypedef struct scoring_t:
        void (*count_hits)(const double* panel, const double* tiles, const double* weights,
                           Py_ssize_t n_tiles, Py_ssize_t n_terms, double* hits) noexcept nogil
        void (*count_class_hits)(const double* panel, const double* tiles, const Py_ssize_t* codes,
                                 const double* weights, Py_ssize_t n_tiles, Py_ssize_t n_terms,
                                 Py_ssize_t n_outputs, double* hits) noexcept nogil
        void (*all_energies)(const double* panel, const double* tile, Py_ssize_t n_terms,
                             Py_ssize_t n_outputs, double* out) noexcept nogil
        void (*row_energies)(const double* panel, const double* x, Py_ssize_t n_features, int squared,
                             double* out) noexcept nogil
    const scoring_t* best_scoring() noexcept nogil

ctypedef struct filter_counts_t:
    Py_ssize_t step                     # steps so far; all randomness is a function of seed and step
    Py_ssize_t started                  # whether a batch with two classes has been learned
    Py_ssize_t n_kept                   # size of the best set
    Py_ssize_t n_voters
    Py_ssize_t chosen                   # candidate that predicts: 0 is the centre, 1, 2, … the averages
    Py_ssize_t n_refits
    Py_ssize_t opened                   # whether the buffer's batch is being learned
    Py_ssize_t n_steps                  # on that batch

ctypedef struct filter_measures_t:
    double n_seen                       # weight of all rows standardising knows
    double buffered                     # weight of the rows waiting
    double error                        # of the predicting candidate on new batches, faded
    double accuracy                     # of the centre on new batches, faded; -1 before the first
    double spread                       # standard deviation of the next step

ctypedef struct trials_t:
    double gain                         # hits that smaller batches would have gained since the size changed
    double squares                      # sum of the squares of these gains
    double n_batches                    # since then

ctypedef struct filter_t:
    const scoring_t* scoring
    Py_ssize_t n_features
    Py_ssize_t n_classes
    Py_ssize_t n_outputs                # energies a particle has: 1 for two classes, else one a class
    Py_ssize_t n_coefficients           # n_outputs (1 + n_features)
    Py_ssize_t n_terms                  # 1 + n_features, and one more for a circle's squared length
    Py_ssize_t n_particles
    Py_ssize_t n_panels
    Py_ssize_t batch_size               # the largest, if sizes adapt
    Py_ssize_t most_voters              # a multiple of LANES
    Py_ssize_t n_warmup
    Py_ssize_t n_averages
    int n_jobs
    int start                           # ZEROS, UNIFORM or NORMAL
    bint circle
    bint likelihood
    bint regularised
    bint scaled                         # inputs standardised, coefficients of length 1
    bint vote                           # whether the best set's vote answers, and not the centre
    bint movement                       # whether the spread follows the movement of the centre
    bint resizing                       # whether batches adapt their size
    double start_width
    double modulo
    double spread
    double wide_spread                  # after an alarm; 0: never
    double pull                         # a of the spread's prior
    double jitter                       # h
    double refit_below
    double memory                       # rows standardising looks back on, for batches of batch_size
    uint64_t seed
    uint64_t parent_key                 # of this step
    uint64_t move_key
    uint64_t spread_key
    uint64_t start_key
    filter_counts_t* counts
    filter_measures_t* measures
    Py_ssize_t* size                    # of the next batch: batch_size, or in an array if sizes adapt
    trials_t* trials                    # resizing only
    ring_t rows                         # that wait for their batch to fill, the first at place 0
    double* seen                        # [n_classes]: weight of each label before the first batch
    double* mean                        # [n_features]: for standardising
    double* squares
    double* active                      # [n_coefficients]: 0 where a refit dropped the coefficient
    double* centre                      # [n_coefficients]: β*, and its log spreads
    double* centre_log_spread
    double* mean_log_spread
    double* kept                        # [room, n_coefficients]: the best set, and its log spreads
    double* kept_log_spread
    Py_ssize_t room
    double* averages                    # [n_averages, n_coefficients]
    double* tallies                     # [1 + n_averages]: faded hits of the candidates
    double* path                        # [n_coefficients]: faded movement of the centre; movement only
    double* predictor                   # [LANES lanes of n_outputs n_terms]: terms of what predicts, lane 0
    double* voters                      # [panels of LANES]: terms of the voting part of the best set
    Py_ssize_t* parents                 # [n_particles]: likelihood only
    double* tiles                       # scratch from here on
    Py_ssize_t* tile_codes
    double* tile_weights
    Py_ssize_t n_tiles
    double* scores                      # [n_panels LANES]
    double* spread_sums                 # [chunks, n_coefficients]
    double* work                        # [n_jobs, work_size]: each thread has its own
    Py_ssize_t work_size
    double* next_centre                 # [n_coefficients]: or the last one, or one on trial
    double* ballot                      # [n_classes]: votes for one row
    Py_ssize_t* drawn                   # [2, n_particles]: likelihood only
    double* system                      # [1 + n_features, 3 + n_features]: of a refit
    double* refitted                    # [2, n_coefficients]: coefficients and which are active
    double* following                   # [room, n_coefficients]: the next best set
    double* following_log_spread
    void* kernel
    void (*grow)(filter_t* f, Py_ssize_t room) noexcept nogil   # try to make room for a best set
    void* workers                       # Workers of this call, or NULL
    Py_ssize_t next_chunk               # of panels, to be scored
    bint stopped                        # whether the threads are to stop: the step will be done again
    bint interruptible                  # whether a signal may end the call in the middle of a batch
    Py_ssize_t n_units                  # of work until the next check for signals
    call_t call


# count a unit of work; True if the call is to end because of a signal
cdef inline bint is_over(filter_t* f) noexcept nogil:
    if not f.interruptible:
        return False
    f.n_units -= 1
    if f.n_units > 0:
        return False
    with gil:
        poll_signals(&f.call)
    f.n_units = f.call.n_rows
    return f.call.failure.failed
