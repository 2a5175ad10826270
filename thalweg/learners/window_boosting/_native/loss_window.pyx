"""The latest rows of a stream, the members' answers on them, and the exponential loss of their weighted vote.

Of K classes a member's answer on a row counts as SAMME has it, scaled so that the two numbers differ by 2:

    a = 2 - 2/K where it is right, -2/K where it is wrong (1 and -1 for two classes)          (1)
    margin_i = sum_m alpha_m a_mi                                                             (2)
    loss E   = sum_i w_i exp(-margin_i),   share_i = w_i exp(-margin_i)/E                     (3)

Only whether a member is right matters, which takes one bit; the bits are kept in two orders. A sum of numbers
over the set bits of many rows goes by bytes: a table has the sums of all 256 subsets of eight numbers.   (4)
"""

from libc.math cimport INFINITY, exp, log
from libc.string cimport memset

from thalweg._native.ring cimport append_row, end_of_places, place_of


cdef void set_classes(loss_window_t* v, Py_ssize_t n_classes) noexcept nogil:
    v.wrong = -2.0 / max(n_classes, 2)                                                      # (1)
    v.right = 2.0 + v.wrong
    compute_margins(v)


cdef void compute_margins(loss_window_t* v) noexcept nogil:
    sum_over_members(v, v.alpha, v.margin)                                                  # (2)


cdef void add_table_sums(const unsigned char* bits, const double* numbers, Py_ssize_t n_numbers,
                         Py_ssize_t n_rows, Py_ssize_t step, double* out) noexcept nogil:
    # out[i] += sum of numbers[c] over the set bits c of row i                              # (4)
    cdef double[256] table
    cdef Py_ssize_t byte, bit, i, c
    cdef double number
    cdef bint all_zero
    for byte in range((n_numbers + 7) // 8):
        table[0] = 0.0
        all_zero = True
        for bit in range(8):
            c = 8 * byte + bit
            number = numbers[c] if c < n_numbers else 0.0
            all_zero = all_zero and number == 0
            for i in range(1 << bit):
                table[(1 << bit) + i] = table[i] + number
        if not all_zero:
            for i in range(n_rows):
                out[i] += table[bits[byte * step + i]]


cdef void sum_over_members(loss_window_t* v, const double* step, double* out) noexcept nogil:
    cdef Py_ssize_t m, i, n = end_of_places(&v.rows)
    cdef double total = 0.0
    for m in range(v.n_members):
        total += step[m]
    for i in range(n):
        out[i] = 0.0
    add_table_sums(v.by_row, step, v.n_members, n, v.rows.room, out)
    for i in range(n):
        out[i] = v.wrong * total + (v.right - v.wrong) * out[i]


cdef void sum_over_rows(loss_window_t* v, const double* share, double* out) noexcept nogil:
    cdef Py_ssize_t m, i, n = end_of_places(&v.rows)
    cdef double total = 0.0
    for i in range(n):
        total += share[i]
    for m in range(v.n_members):
        out[m] = 0.0
    add_table_sums(v.by_member, share, n, v.n_members, v.n_members, out)
    for m in range(v.n_members):
        out[m] = v.wrong * total + (v.right - v.wrong) * out[m] if v.born[m] else 0.0


cdef inline void set_bit(loss_window_t* v, Py_ssize_t m, Py_ssize_t slot, bint right) noexcept nogil:
    cdef unsigned char* one = v.by_row + (m >> 3) * v.rows.room + slot
    cdef unsigned char* other = v.by_member + (slot >> 3) * v.n_members + m
    if right:
        one[0] |= 1 << (m & 7)
        other[0] |= 1 << (slot & 7)
    else:
        one[0] &= ~(1 << (m & 7))
        other[0] &= ~(1 << (slot & 7))


cdef Py_ssize_t append_answers(loss_window_t* v, const double* x, Py_ssize_t y, double w,
                               const Py_ssize_t* output) noexcept nogil:
    cdef Py_ssize_t m, slot = append_row(&v.rows, x, y, log(w))
    cdef bint right
    cdef double margin = 0.0
    for m in range(v.n_members):
        right = v.born[m] > 0 and output[m] == y
        set_bit(v, m, slot, right)
        margin += v.alpha[m] * (v.right if right else v.wrong)
    v.margin[slot] = margin                                                                 # (2)
    return slot


cdef void set_answers(loss_window_t* v, Py_ssize_t m, const char* right) noexcept nogil:
    cdef Py_ssize_t age, slot
    for age in range(v.rows.span.count):
        slot = place_of(&v.rows, age)
        set_bit(v, m, slot, right[slot])


cdef void change_alpha(loss_window_t* v, Py_ssize_t m, double step) noexcept nogil:
    cdef Py_ssize_t i
    v.alpha[m] += step
    for i in range(end_of_places(&v.rows)):
        v.margin[i] += step * (v.right if is_right(v, m, i) else v.wrong)


cdef void change_alphas(loss_window_t* v, const double* step) noexcept nogil:
    cdef Py_ssize_t m, i
    sum_over_members(v, step, v.slope)
    for i in range(end_of_places(&v.rows)):
        v.margin[i] += v.slope[i]
    for m in range(v.n_members):
        v.alpha[m] += step[m]


cdef void scale_alphas(loss_window_t* v, double factor) noexcept nogil:
    cdef Py_ssize_t m, i
    for m in range(v.n_members):
        v.alpha[m] *= factor
    for i in range(end_of_places(&v.rows)):
        v.margin[i] *= factor


cdef void remove_member(loss_window_t* v, Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t age
    change_alpha(v, m, -v.alpha[m])
    v.alpha[m], v.born[m] = 0.0, 0
    for age in range(v.rows.span.count):
        set_bit(v, m, place_of(&v.rows, age), False)


cdef void remove_all_members(loss_window_t* v) noexcept nogil:
    cdef Py_ssize_t m, i
    for m in range(v.n_members):
        v.alpha[m], v.born[m] = 0.0, 0
    memset(v.by_row, 0, (v.n_members + 7) // 8 * v.rows.room)
    memset(v.by_member, 0, (v.rows.room + 7) // 8 * v.n_members)
    for i in range(end_of_places(&v.rows)):
        v.margin[i] = 0.0


cdef double compute_shares(loss_window_t* v, double s, const double* slope) noexcept nogil:
    cdef Py_ssize_t age, i, n = end_of_places(&v.rows)
    cdef double top = -INFINITY, total = 0.0
    for i in range(n):
        v.share[i] = 0.0
    if v.rows.span.count == 0:
        return -INFINITY
    for age in range(v.rows.span.count):
        i = place_of(&v.rows, age)
        v.share[i] = v.rows.w[i] - v.margin[i] - (s * slope[i] if slope != NULL else 0.0)
        top = max(top, v.share[i])
    for age in range(v.rows.span.count):
        i = place_of(&v.rows, age)
        v.share[i] = exp(v.share[i] - top)                                                  # (3)
        total += v.share[i]
    for i in range(n):
        v.share[i] /= total
    return top + log(total)
