# What naive Bayes knows of one class: of a numeric input the weight n and the sum of squares s of its values
# and with them c = (n - 1)/(2 s), of a categorical one the counts of its V categories. A value x, m being the
# mean, and a category adds to the log of the likelihood
#
#     -min(c (x - m)^2, FARTHEST) + log(c/pi)/2                                     (1)
#     log((count + 1)/(n + V))                                                      (2)

from libc.math cimport M_PI, log

cdef extern from *:
    """
    #define BAYES_FARTHEST 745.0
    #define BAYES_SURE 1e300
    #define BAYES_LEAST_INVERSE 1e-300
    #define BAYES_MOST_SQUARES 1.7e308
    #define BAYES_LARGE 1e150
    """
    # Where exp(-q) leaves the range of a double: beyond it every value is equally impossible, and one extreme
    # value cannot silence a class permanently. Kernels copy it into a variable: GCC makes a minimum with a
    # constant of three instructions.
    double FARTHEST_VALUE "BAYES_FARTHEST"
    double SURE "BAYES_SURE"                            # stands for c where s is 0 or n is 1
    double LEAST_INVERSE "BAYES_LEAST_INVERSE"
    double MOST_SQUARES "BAYES_MOST_SQUARES"            # instead of an infinite sum of squares
    double LARGE "BAYES_LARGE"                          # products become logs beyond LARGE and 1/LARGE

ctypedef struct chances_t:              # a product of chances of categories
    double above
    double below
    double logs


cdef inline double multiply(double* product, double factor) noexcept nogil:
    # Multiply a product. If it gets too large or small it starts again at 1, and its log is returned, else 0.
    cdef double value = product[0] * factor
    if 1.0 / LARGE < value < LARGE:
        product[0] = value
        return 0.0
    value = log(value) if 1e-300 < value < 1e300 else log(product[0]) + log(factor)
    product[0] = 1.0
    return value


cdef inline double inverse_of(double n, double* squares) noexcept nogil:
    # c for n > 1 and squares > 0.
    cdef double c = 0.5 * (n - 1) / squares[0]
    if LEAST_INVERSE <= c < SURE:
        return c
    squares[0] = min(squares[0], MOST_SQUARES)
    return SURE if c >= SURE else LEAST_INVERSE


cdef inline double multiply_width(double* product, double inverse) noexcept nogil:
    # Multiply a product by c/pi, as `multiply` does; the square root of it is in (1).
    return multiply(product, inverse * (1 / M_PI))


cdef inline double missing_width(double inverse) noexcept nogil:
    # What a missing value takes back of (1).
    return 0.5 * log(M_PI / inverse) if inverse < SURE else 0.0


cdef inline Py_ssize_t category_of(double value, Py_ssize_t limit) noexcept nogil:
    # The code of a category; -1 if it is missing, as are codes from `limit` on.
    return <Py_ssize_t> value if 0 <= value < limit else -1


cdef inline void add_chance(chances_t* c, double count, double n, Py_ssize_t n_values) noexcept nogil:
    c.logs += multiply(&c.above, count + 1.0)                                    # (2)
    c.logs -= multiply(&c.below, n + n_values)


cdef inline double log_of(const chances_t* c) noexcept nogil:
    return c.logs + log(c.above / c.below)
