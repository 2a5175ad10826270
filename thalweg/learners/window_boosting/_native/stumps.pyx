"""Decision stumps of smallest weighted error on a window that slides.

Every input's order is kept from row to row, so that a new stump costs one pass over the window for each
input and no sorting. A stump parts the rows at a border between two values, or by one category against the
rest, and answers with the heavier class of each side; its score is the weight that it has right:

    max_k left_k + max_k (all_k - left_k)                                                     (1)

Of equal scores the first input's, at its lowest value, is taken, and no split rather than a useless one.
"""

from libc.string cimport memmove

from .loss_window cimport is_stopped, loss_window_t
from thalweg._native.maths cimport likeliest
from thalweg._native.ring cimport row_at

cdef double TIE = 1e-12                 # scores closer than this, relative to all weight, are equal


cdef inline double value_at(const loss_window_t* v, Py_ssize_t slot, Py_ssize_t j) noexcept nogil:
    return row_at(&v.rows, slot)[j]


cdef inline Py_ssize_t position_of(const loss_window_t* v, const int* order, Py_ssize_t n, Py_ssize_t j,
                                   double value, bint after) noexcept nogil:
    # Where the first value is that is not below `value`, or with `after` the first above it.
    cdef Py_ssize_t low = 0, high = n, middle
    cdef double other
    while low < high:
        middle = (low + high) // 2
        other = value_at(v, order[middle], j)
        if other < value or (after and other == value):
            low = middle + 1
        else:
            high = middle
    return low


cdef void insert_row(sorted_t* s, const loss_window_t* v, Py_ssize_t slot) noexcept nogil:
    cdef Py_ssize_t j, place, n = v.rows.span.count - 1
    cdef int* order
    for j in range(v.rows.width):
        order = s.order + j * v.rows.room
        place = position_of(v, order, n, j, value_at(v, slot, j), True)
        memmove(order + place + 1, order + place, (n - place) * sizeof(int))
        order[place] = <int> slot


cdef void take_out_row(sorted_t* s, const loss_window_t* v, Py_ssize_t slot) noexcept nogil:
    cdef Py_ssize_t j, place, n = v.rows.span.count
    cdef int* order
    for j in range(v.rows.width):
        order = s.order + j * v.rows.room
        place = position_of(v, order, n, j, value_at(v, slot, j), False)
        memmove(order + place, order + place + 1, (n - place - 1) * sizeof(int))


cdef double score_of(sorted_t* s, double* left, double* right) noexcept nogil:
    # (1); writes the weights on the right.
    cdef Py_ssize_t k
    cdef double top_left = left[0], top_right
    right[0] = s.sums[0] - left[0]
    top_right = right[0]
    for k in range(1, s.n_classes):
        right[k] = s.sums[k] - left[k]
        top_left = max(top_left, left[k])
        top_right = max(top_right, right[k])
    return top_left + top_right


cdef bint find_stump(sorted_t* s, loss_window_t* v, stump_t* found) noexcept nogil:
    cdef Py_ssize_t i, j, k
    cdef double total = 0.0, best
    for k in range(s.n_classes):
        s.sums[k] = 0.0
    for i in range(v.rows.span.count):
        s.sums[v.rows.y[s.order[i]]] += v.share[s.order[i]]
        total += v.share[s.order[i]]
    k = likeliest(s.sums, s.n_classes)
    best = s.sums[k]
    found[0] = stump_t(0, 0.0, k, k)
    for j in range(v.rows.width):
        if is_stopped(v, 3.0 * v.rows.span.count):
            return False
        try_feature(s, v, j, TIE * total, &best, found)
    return True


cdef void try_feature(sorted_t* s, const loss_window_t* v, Py_ssize_t j, double tie, double* best,
                      stump_t* found) noexcept nogil:
    cdef Py_ssize_t i, k, slot, n = v.rows.span.count
    cdef const int* order = s.order + j * v.rows.room
    cdef double* left = s.sums + s.n_classes
    cdef double* right = left + s.n_classes
    cdef double value, following = 0.0, score
    cdef bint is_category = s.n_categories[j] > 0
    for k in range(s.n_classes):
        left[k] = 0.0
    for i in range(n):
        slot = order[i]
        left[v.rows.y[slot]] += v.share[slot]
        value = value_at(v, slot, j)
        if i + 1 < n:
            following = value_at(v, order[i + 1], j)
            if following == value:
                continue
        elif not is_category:
            return
        score = score_of(s, left, right)
        if score > best[0] + tie:
            best[0] = score
            found[0] = stump_t(j, value if is_category else middle(value, following),
                               likeliest(left, s.n_classes), likeliest(right, s.n_classes))
        if is_category:
            for k in range(s.n_classes):
                left[k] = 0.0


cdef inline double middle(double low, double high) noexcept nogil:
    # A number from low on and below high.
    cdef double half = low + (high - low) / 2
    return half if half < high else low
