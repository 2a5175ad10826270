# The handle through which compiled code calls a learner, as bitgen_t is for NumPy's generators.

from libc.stdint cimport int64_t

from .lock cimport Lock
from .maths cimport likeliest

cdef extern from *:
    """
    #define HEAVIEST 1e100
    """
    const double HEAVIEST               # weight of a row: sums of more would overflow

ctypedef void (*learn_f)(void* state, const double* x, Py_ssize_t y, double w,
                         int64_t number) noexcept nogil
ctypedef void (*predict_f)(void* state, const double* x, double* p, double* scratch) noexcept nogil
ctypedef void (*predict_learn_f)(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                                 double* p) noexcept nogil
ctypedef Py_ssize_t (*predict_learn_rows_f)(void* state, const double* x, const Py_ssize_t* y,
                                            const double* w, Py_ssize_t n, double* p) noexcept nogil
ctypedef Py_ssize_t (*predict_learn_again_f)(void* state, const double* x, Py_ssize_t y, double w,
                                             int64_t number, double* p) noexcept nogil
ctypedef bint (*fit_block_f)(void* state, const double* X, const Py_ssize_t* y, const double* w,
                             Py_ssize_t n, bint may_stop) noexcept nogil
ctypedef void (*flush_f)(void* state) noexcept nogil
ctypedef void (*observe_f)(void* state, const double* x, int64_t number) noexcept nogil

ctypedef struct learner_t:
    void* state
    Py_ssize_t n_features
    Py_ssize_t n_classes
    Py_ssize_t scratch_size             # doubles of memory that predict needs
    # learn the row x[n_features] with its label's code y and its weight w > 0; `number` is the one with which
    # it was observed, 0 if it was not
    learn_f learn
    # write the class probabilities into p[n_classes]; changes nothing but scratch[scratch_size]
    predict_f predict
    # The rest may be NULL.
    # predict into p and then learn with w > 0, where that is faster than one after the other
    predict_learn_f predict_learn
    # the same for the first of n rows, none of which was observed; return how many were done: perhaps none
    predict_learn_rows_f predict_learn_rows
    # predict_learn, and return the class that is most likely then, where that is faster than to predict again
    predict_learn_again_f predict_learn_again
    # Before anything else was learned: learn n rows as one batch, without those of weight 0; return whether
    # that was done. If not, because a signal came while it may stop or memory runs out, the failure is
    # recorded and the learner must not be used.
    fit_block_f fit_block
    # learn the rows that were held back to wait for more
    flush_f flush
    # See a row that has no label yet. Numbers grow from 1 on; 0 is for a row whose label will not come.
    observe_f observe


cdef class Kernel:
    cdef learner_t handle
    # Bytes of the struct at handle.state, if it holds only addresses and settings, else 0 (slots.pyx).
    cdef Py_ssize_t core_size
    cdef readonly dict arrays           # as declared in `layout`, and what follows from them
    cdef readonly dict layout           # name: Array (layout.py)
    cdef readonly dict lengths          # axis: its length, None where it grows
    cdef Kernel kept                    # KeptRows, part of the state; None in most kernels
    cdef str who
    cdef public Lock lock
    cdef Py_ssize_t n_rows              # to process between two checks for signals
    cdef bint calls_python              # rows reach code written in Python: it may fail at any of them

    cdef void set_handle(self, void* state, Py_ssize_t n_features, Py_ssize_t n_classes, learn_f learn,
                         predict_f predict, predict_learn_f predict_learn=*)
    cdef void allocate(self, str who, dict layout, dict lengths, dict initial=*)
    cdef void bind(self)
    cdef void adopt(self, dict arrays)
    cdef void derive(self)
    cdef bint adopt_computed(self, compute, tuple arguments) noexcept
    cdef void inherit_kept(self, Kernel old)
    cdef int process(self, const double[:, ::1] X, double[:, ::1] p, const int64_t[::1] ids, bint predicts,
                     bint observes) except -1


# copies of the arrays of a layout, with the axis of this name extended to `length`; new places are filled
cdef dict extended(dict layout, dict arrays, str axis, Py_ssize_t length)


# fit_block if the learner has it; otherwise learn the rows one by one, and flush
cdef bint fit_block(const learner_t* h, const double* X, const Py_ssize_t* y, const double* w, Py_ssize_t n,
                    bint may_stop) noexcept nogil


cdef inline void flush(const learner_t* h) noexcept nogil:
    if h.flush != NULL:
        h.flush(h.state)


cdef inline void observe(const learner_t* h, const double* x, int64_t number) noexcept nogil:
    if h.observe != NULL:
        h.observe(h.state, x, number)


cdef inline void predict_learn(const learner_t* h, const double* x, Py_ssize_t y, double w, int64_t number,
                               double* p, double* scratch) noexcept nogil:
    # Predict, and learn if the weight is above 0.
    if w > 0 and h.predict_learn != NULL:
        h.predict_learn(h.state, x, y, w, number, p)
        return
    h.predict(h.state, x, p, scratch)
    if w > 0:
        h.learn(h.state, x, y, w, number)


cdef inline Py_ssize_t predict_learn_again(const learner_t* h, const double* x, Py_ssize_t y, double w,
                                           int64_t number, double* p, double* again,
                                           double* scratch) noexcept nogil:
    # Predict into p, learn if the weight is above 0, and return the class that is most likely then;
    # again[class] is memory.
    if w > 0 and h.predict_learn_again != NULL:
        return h.predict_learn_again(h.state, x, y, w, number, p)
    predict_learn(h, x, y, w, number, p, scratch)
    if not w > 0:
        return likeliest(p, h.n_classes)
    h.predict(h.state, x, again, scratch)
    return likeliest(again, h.n_classes)
