# What ensembles share: their members, called through handles, and the record of their weights and sizes.

from libc.stdint cimport int64_t

from thalweg._native.kernel cimport HEAVIEST, learner_t
from thalweg.learners.base._native.member_pool cimport MemberPool

from thalweg._native cimport kernel as learner

cdef enum:
    # places in `progress`
    ROWS = 0                            # learned so far
    NOTES = 1                           # lines of the record in use
    STRIDE = 2                          # rows from one line to the next
    NEXT_NOTE = 3                       # due once this many rows are learned


cdef class EnsembleKernel(MemberPool):
    # The struct to which the handle of a subclass points begins with the address of the kernel (set_members
    # checks that): so flush and observe find the members.
    cdef Py_ssize_t n_called            # slots in use
    cdef Py_ssize_t n_kinds             # of events
    cdef Py_ssize_t n_noted             # members a line of the record has room for
    cdef object line                    # memory for a line
    cdef Py_ssize_t n_threads           # that learn at once
    cdef bint own_flush                 # whether a subclass has set these functions of its handle
    cdef bint own_observe
    cdef Py_ssize_t own_scratch         # doubles a prediction needs besides those of the member
    cdef Py_ssize_t least_scratch       # doubles a member that is not yet built may need
    cdef object memory                  # of `scratch`
    cdef double* scratch                # [thread, scratch_step]: for predictions while rows are learned
    cdef Py_ssize_t scratch_step
    cdef Py_ssize_t* progress
    cdef Py_ssize_t* n_built            # [slot]: members built there so far
    cdef Py_ssize_t* n_events           # [kind]: so far; the latest of all kinds are kept
    cdef Py_ssize_t* event_row
    cdef Py_ssize_t* event_member
    cdef Py_ssize_t* event_kind
    cdef Py_ssize_t* noted_row          # [line]
    cdef double* noted_number           # [line, member]
    cdef double* noted_size             # [line, member]

    cdef tuple built(self, Py_ssize_t slot)
    cdef tuple built_from(self, Py_ssize_t slot, spare)
    cdef bint replace(self, Py_ssize_t m, Py_ssize_t row) noexcept
    cdef Py_ssize_t template_of(self, Py_ssize_t slot) noexcept nogil
    cdef Py_ssize_t next_template(self, Py_ssize_t slot) noexcept nogil
    cdef void record_event(self, Py_ssize_t row, Py_ssize_t m, Py_ssize_t kind) noexcept nogil
    cdef void write_note(self, Py_ssize_t row, const double* numbers, const double* sizes) noexcept nogil
    cdef void note(self) noexcept
    cdef void halve_record(self) noexcept nogil
    cdef double number_of(self, Py_ssize_t m) noexcept nogil
    cdef Py_ssize_t slot_of(self, Py_ssize_t m) noexcept nogil
    cdef double size_of(self, Py_ssize_t m) noexcept


cdef inline void learn_by(const learner_t* h, const double* x, Py_ssize_t y, double w,
                          int64_t number) noexcept nogil:
    h.learn(h.state, x, y, min(w, HEAVIEST), number)


cdef inline void predict_learn(const learner_t* h, const double* x, Py_ssize_t y, double w, int64_t number,
                               double* p, double* scratch) noexcept nogil:
    # Predict, and learn if the weight is above 0.
    learner.predict_learn(h, x, y, min(w, HEAVIEST), number, p, scratch)


cdef inline Py_ssize_t predict_learn_again(const learner_t* h, const double* x, Py_ssize_t y, double w,
                                           int64_t number, double* p, double* again,
                                           double* scratch) noexcept nogil:
    # The same, and return the class that is most likely then; again[class] is memory.
    return learner.predict_learn_again(h, x, y, min(w, HEAVIEST), number, p, again, scratch)
