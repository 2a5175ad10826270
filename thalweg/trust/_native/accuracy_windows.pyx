"""How often the answers of a model are right, from its probabilities and labels that may be late or missing.

Row j was answered with confidence p_j, the probability of its answer, when the model knew L_j labels; L are
those it knows now, and c_j is 1 if the answer was right. Seven experts turn the logit r of the confidence
(clipped to .001 … .999) into a probability that the answer is right: three levels and three lines that
forget at N = 100, 1,000 and 10,000 labels, with λ = 1 - 1/N, and the confidence itself. Lines also use s,
the share of the same answer among those of about the last 25 rows, less a half: classes may come in runs.

    g = σ(a),  g = σ(a + b r + d s),  g = clipped confidence                                     (1)

A label of row j is worth u, since labels of rows that a beginner answered say little of the model now:

    u = ((1 + L_j)/(1 + L))²                                                                     (2)

and moves an expert by a Newton step, x = (1, r, s), with h = (2, 20, 2) as weight of the start (0, 1, d₀),
where d₀ is the d of the line with the next longer memory, and 0 for the longest:

    H ← λ H + (1 - λ) diag(h) + u max(g(1 - g), .001) x xᵀ                                        (3)
    (a, b, d) += H⁻¹ (u (c_j - g) x - (1 - λ) diag(h) ((a, b, d) - (0, 1, d₀)))                   (4)

Experts are judged by the answers g_j they gave when row j was answered, which are kept with the row. Every
tenth of a window, D is the mean of g_j - c_j over the latest block of a window's length whose labels are in:

    V ← .9^(1/10) V + u D²,  n likewise;   m = (V/10 + τ₀²)/(n/10 + 1)                            (5)
    E ← e^(-1/3000) E + u × log-loss of g_j                                                      (6)
    weight ∝ prior (m/min m)⁻³ exp(-(E - min E)/(1 + mean delay)^(2/3))                          (7)

A window's estimate counts the labels it has and adds what the experts predict for the other rows: now, or
when their labels were overdue for the length of a window. Its variance is

    Σ g(1 - g)/rows² + max(f² τ², Σ weight (estimate of an expert - estimate)²)                   (8)
    τ² = (U + q .1²)/(n + q),  q = 1/(1 + n)²,  U ← .95 U + u max(error² - variance, 0)/f²        (9)

where f is the share of rows without labels, and U sums over earlier windows whose labels have all come since;
the number of them, forgotten likewise, is n. Where most blocks never get all their labels, the sums are those
of the blocks of (5) for the weighted answer, and g(1 - g)/min(L, 300) is added.                 (10)
"""

from libc.math cimport cbrt, exp, log, sqrt

from thalweg._native.maths cimport clipped, logistic

cdef double LEAST = 0.001
cdef double KEEP_BLOCK = 0.9895192582062144         # .9^(1/10)
cdef double KEEP_LOSS = 0.9996667222160496          # e^(-1/3000)
cdef double KEEP_WINDOW = 0.95
cdef double KEEP_DELAY = 0.999
cdef double LEAST_JUDGED = 10
cdef double FORGET_ANSWER = 0.04                    # 1/25
cdef double[3] FORGET = [0.01, 0.001, 0.0001]       # 1 - λ
cdef double[7] PRIOR = [0.3, 2.0, 1.0, 0.45, 3.0, 1.5, 2.0]
cdef double[7] START = [0.122 ** 2, 0.122 ** 2, 0.122 ** 2, 0.01, 0.01, 0.01, 0.01]


cdef inline double knowledge(const estimate_t* c, double knew) noexcept nogil:
    cdef double share
    if not c.learns:
        return 1.0
    share = min(1.0, (1.0 + knew) / (1.0 + c.counts[KNOWN]))
    return share * share                                                                        # (2)


cdef inline double says(const double* e, Py_ssize_t i, const double* row) noexcept nogil:
    if i == RAW:
        return row[SURE]
    return logistic(e[A] + e[B] * row[LOGIT] + e[D] * row[ALIKE] if i >= FIRST_LINE else e[A])   # (1)


cdef double mean_delay(const estimate_t* c) noexcept nogil:
    return c.sums[DELAYS + 1] / c.sums[DELAYS] if c.sums[DELAYS] > 0 else 0.0


cdef double overdue(const estimate_t* c) noexcept nogil:
    # Labels that have not arrived after so many rows are not expected any more.
    cdef double mean = mean_delay(c)
    if c.sums[DELAYS] <= 0:
        return 1e300
    return mean + 4.0 * sqrt(max(c.sums[DELAYS + 2] / c.sums[DELAYS] - mean * mean, 0.0)) + 1.0


cdef void find_weights(estimate_t* c) noexcept nogil:
    cdef double[7] m
    cdef double least_m = 1e300, least_loss = 1e300, total = 0.0, ratio
    cdef double rate = cbrt(1.0 + mean_delay(c))
    cdef Py_ssize_t i
    rate = 1.0 / (rate * rate)
    for i in range(N_EXPERTS):
        m[i] = (c.expert[i * N_STATE + ERROR] / 10 + START[i]) / (c.sums[JUDGED] / 10 + 1)       # (5)
        least_m = min(least_m, m[i])
        least_loss = min(least_loss, c.expert[i * N_STATE + LOSS])
    for i in range(N_EXPERTS):
        ratio = least_m / m[i]
        c.weight[i] = PRIOR[i] * ratio * ratio * ratio
        c.weight[i] *= exp(-(c.expert[i * N_STATE + LOSS] - least_loss) * rate)                  # (7)
        total += c.weight[i]
    for i in range(N_EXPERTS):
        c.weight[i] /= total
    c.stale = False


cdef double mixed(estimate_t* c, const double* row, double* each) noexcept nogil:
    cdef double mean = 0.0
    cdef Py_ssize_t i
    if c.stale:
        find_weights(c)
    for i in range(N_EXPERTS):
        each[i] = says(c.expert + i * N_STATE, i, row)
        mean += c.weight[i] * each[i]
    return mean


cdef void take_row(estimate_t* c, const double* p, Py_ssize_t answer) noexcept nogil:
    cdef Py_ssize_t number = c.counts[ROWS], place = number % c.room, k, i
    cdef double* row = c.row + place * c.width
    cdef double* window
    if number and number % c.window == 0:
        end_window(c, number // c.window - 1)
    if number - c.counts[FIRST] == c.room:
        forget_row(c, c.counts[FIRST])
        c.counts[FIRST] += 1
    row[SURE] = min(max(p[answer], LEAST), 1.0 - LEAST)
    row[LOGIT] = log(row[SURE] / (1.0 - row[SURE]))
    row[KNEW] = c.counts[KNOWN]
    for k in range(c.n_classes):
        c.recent[k] -= FORGET_ANSWER * c.recent[k]
    c.recent[answer] = min(c.recent[answer] + FORGET_ANSWER, 1.0)
    row[ALIKE] = c.recent[answer] - 0.5
    row[MIX], row[FINAL] = mixed(c, row, row + SAID), -1.0
    for k in range(c.n_classes):
        row[N_KEPT + k] = p[k]
    c.answer[place], c.label[place] = answer, NO_LABEL
    c.counts[ROWS] += 1
    c.counts[WAITING] += 1
    if number % c.window == 0:
        window = window_at(c, number // c.window)
        for i in range(N_WINDOW):
            window[i] = 0.0
        for k in range(3 * c.n_classes):
            c.by_class[((number // c.window) % c.window_room) * 3 * c.n_classes + k] = 0.0
            c.gone_by_class[((number // c.window) % c.window_room) * 3 * c.n_classes + k] = 0.0
    judge_blocks(c, 0)
    end_rows(c)


cdef void end_rows(estimate_t* c) noexcept nogil:
    # Rows whose labels are overdue for a window and more are judged for the last time, by experts that know
    # labels of their time: those of a later one would be wrong about them after a change.
    cdef double[7] each
    cdef double last = c.counts[ROWS] - overdue(c) - c.window
    cdef double* row
    c.counts[PAST] = max(c.counts[PAST], c.counts[FIRST])
    while c.counts[PAST] < last:
        row = c.row + (c.counts[PAST] % c.room) * c.width
        if c.label[c.counts[PAST] % c.room] == NO_LABEL:
            row[FINAL] = mixed(c, row, each)
        c.counts[PAST] += 1


cdef double judged(estimate_t* c, const double* row, double* each) noexcept nogil:
    cdef Py_ssize_t i
    if row[FINAL] < 0:
        return mixed(c, row, each)
    for i in range(N_EXPERTS):
        each[i] = row[FINAL]
    return row[FINAL]


cdef void forget_row(estimate_t* c, Py_ssize_t number) noexcept nogil:
    # Before its place is taken. What its window says of it stays as it is now.
    cdef Py_ssize_t place = number % c.room, answer = c.answer[place], k
    cdef double* row = c.row + place * c.width
    cdef double* window = window_at(c, number // c.window)
    cdef double* sums
    cdef double[7] each
    cdef double g, share, rest = 0.0
    judge_blocks(c, number + 1)
    if c.label[place] != NO_LABEL:
        return
    c.counts[WAITING] -= 1
    if window == NULL:
        return
    g = judged(c, row, each)
    window[W_GONE] += 1
    window[W_GONE_RIGHT] += g
    window[W_GONE_VARIANCE] += g * (1 - g)
    sums = c.gone_by_class + ((number // c.window) % c.window_room) * 3 * c.n_classes
    for k in range(c.n_classes):
        rest += row[N_KEPT + k] if k != answer else 0.0
    sums[answer] += g
    sums[c.n_classes + answer] += 1
    for k in range(c.n_classes):
        if k == answer:
            share = g
        else:
            share = (1 - g) * (row[N_KEPT + k] / rest if rest > 0 else 1.0 / max(1, c.n_classes - 1))
        sums[2 * c.n_classes + k] += share
        if c.costs != NULL:
            window[W_GONE_COST] += share * c.costs[k * c.n_classes + answer]


cdef int take_label(estimate_t* c, Py_ssize_t number, Py_ssize_t code) noexcept nogil:
    if not is_waiting(c, number):
        return 0
    cdef Py_ssize_t place = number % c.room, i
    cdef const double* row = c.row + place * c.width
    cdef double delay = c.counts[ROWS] - 1 - number
    cdef double right = 1.0 if code == c.answer[place] else 0.0, u = knowledge(c, row[KNEW])
    c.label[place] = code
    c.counts[WAITING] -= 1
    c.sums[DELAYS] = KEEP_DELAY * c.sums[DELAYS] + 1.0
    c.sums[DELAYS + 1] = KEEP_DELAY * c.sums[DELAYS + 1] + delay
    c.sums[DELAYS + 2] = KEEP_DELAY * c.sums[DELAYS + 2] + delay * delay
    for i in range(N_EXPERTS):
        move_expert(c.expert + i * N_STATE, i, row, right, u)
    c.counts[LABELS] += 1
    c.counts[KNOWN] += 1
    c.stale = True
    count_label(c, number, code, right)
    judge_blocks(c, 0)
    return 1


cdef void move_expert(double* e, Py_ssize_t i, const double* row, double right, double u) noexcept nogil:
    cdef double said = row[SAID + i], g, w, forget, gradient
    said = min(max(said if right else 1.0 - said, 1e-12), 1.0)
    e[LOSS] = KEEP_LOSS * e[LOSS] - u * log(said)                                                # (6)
    if i == RAW:
        return
    forget = FORGET[i % 3]
    g = says(e, i, row)
    w = u * max(g * (1 - g), LEAST)
    e[HAA] += forget * (LEVEL_START - e[HAA]) + w                                                # (3)
    gradient = u * (right - g)
    if i < FIRST_LINE:
        e[A] += clipped((gradient - forget * LEVEL_START * e[A]) / e[HAA], 1.0)                  # (4)
    else:
        move_line(e, i, row[LOGIT], row[ALIKE], w, gradient)


cdef void move_line(double* e, Py_ssize_t i, double r, double s, double w, double gradient) noexcept nogil:
    # (3) but for HAA, and (4), solved by H = L D Lᵀ
    cdef double ga, gb, gd, lb, ld, ldb, db, dd, forget = FORGET[i % 3]
    cdef double start = e[N_STATE + D] if i + 1 < RAW else 0.0
    e[HAB] += w * r - forget * e[HAB]
    e[HAD] += w * s - forget * e[HAD]
    e[HBB] += forget * (SLOPE_START - e[HBB]) + w * r * r
    e[HBD] += w * r * s - forget * e[HBD]
    e[HDD] += forget * (ALIKE_START - e[HDD]) + w * s * s
    ga = gradient - forget * LEVEL_START * e[A]
    gb = gradient * r - forget * SLOPE_START * (e[B] - 1.0)
    gd = gradient * s - forget * ALIKE_START * (e[D] - start)
    lb, ld = e[HAB] / e[HAA], e[HAD] / e[HAA]
    db = e[HBB] - lb * e[HAB]
    ldb = (e[HBD] - ld * e[HAB]) / db
    dd = e[HDD] - ld * e[HAD] - ldb * ldb * db
    gb -= lb * ga
    gd = (gd - ld * ga - ldb * gb) / dd
    gb = gb / db - ldb * gd
    e[A] += clipped(ga / e[HAA] - lb * gb - ld * gd, 1.0)
    e[B] = min(max(e[B] + clipped(gb, 0.5), 0.0), 5.0)
    e[D] += clipped(gd, 1.0)


cdef void count_label(estimate_t* c, Py_ssize_t number, Py_ssize_t code, double right) noexcept nogil:
    cdef double* window = window_at(c, number // c.window)
    cdef Py_ssize_t answer = c.answer[number % c.room]
    cdef double* sums
    if window == NULL:
        return
    window[W_KNOWN] += 1
    window[W_RIGHT] += right
    sums = c.by_class + ((number // c.window) % c.window_room) * 3 * c.n_classes
    sums[code] += right
    sums[c.n_classes + answer] += 1
    sums[2 * c.n_classes + code] += 1
    if c.costs != NULL:
        window[W_COST] += c.costs[code * c.n_classes + answer]
    if window[W_STAGE] == 1 and window[W_KNOWN] == c.window:
        settle(c, window)


cdef void settle(estimate_t* c, double* window) noexcept nogil:
    # All labels of a window have arrived that were not there at its end.
    cdef const judgement_t* said = <const judgement_t*> (window + W_END)
    cdef double u = knowledge(c, window[W_END_KNEW]), error = said.estimate - window[W_RIGHT] / c.window
    window[W_STAGE] = 2
    if said.unknown > 0:
        error = max(error * error - said.variance, 0.0) / (said.unknown * said.unknown)
        c.sums[UNSURE] = KEEP_WINDOW * c.sums[UNSURE] + u * error                                # (9)
        c.sums[SETTLED] = KEEP_WINDOW * c.sums[SETTLED] + u


cdef void end_window(estimate_t* c, Py_ssize_t number) noexcept nogil:
    cdef double* window = window_at(c, number)
    judge(c, number * c.window, (number + 1) * c.window, <judgement_t*> (window + W_END))
    window[W_END_KNEW] = c.counts[KNOWN]
    window[W_STAGE] = 1
    if window[W_KNOWN] == c.window:
        settle(c, window)


cdef void judge(estimate_t* c, Py_ssize_t start, Py_ssize_t stop, judgement_t* found) noexcept nogil:
    cdef double[7] each, total
    cdef double right = 0.0, n = stop - start, g, estimate = 0.0, variance = 0.0, n_unknown = 0.0, gone = 0.0
    cdef Py_ssize_t number, i
    cdef double* window
    for i in range(N_EXPERTS):
        total[i] = 0.0
    if start < c.counts[FIRST]:
        window = window_at(c, start // c.window)
        right, gone = window[W_RIGHT], window[W_GONE]
        n_unknown, variance = gone, window[W_GONE_VARIANCE]
        for i in range(N_EXPERTS):
            total[i] = window[W_GONE_RIGHT]
        for number in range(c.counts[FIRST], stop):
            right -= c.label[number % c.room] == c.answer[number % c.room]
    for number in range(max(start, c.counts[FIRST]), stop):
        if c.label[number % c.room] != NO_LABEL:
            right += c.label[number % c.room] == c.answer[number % c.room]
            continue
        g = judged(c, c.row + (number % c.room) * c.width, each)
        n_unknown += 1
        variance += g * (1 - g)
        for i in range(N_EXPERTS):
            total[i] += each[i]
    if c.stale:
        find_weights(c)
    for i in range(N_EXPERTS):
        estimate += c.weight[i] * total[i]
    found.estimate, found.variance, found.unknown = (right + estimate) / n, variance / (n * n), n_unknown / n
    found.spread = 0.0
    for i in range(N_EXPERTS):
        g = (total[i] - estimate) / n
        found.spread += c.weight[i] * g * g                                                      # (8)
    find_tau(c, found)


cdef void find_tau(estimate_t* c, judgement_t* found) noexcept nogil:
    cdef double sum, q
    cdef bint is_partial = c.sums[PARTIAL] > 0.5 * c.sums[JUDGED]
    if is_partial:
        sum, found.n = c.sums[MIXED] / 10, c.sums[JUDGED] / 10
    else:
        sum, found.n = c.sums[UNSURE], c.sums[SETTLED]
    q = 1.0 / ((1.0 + found.n) * (1.0 + found.n))
    found.tau = (sum + 0.01 * q) / (found.n + q)                                                 # (9)
    if is_partial:
        found.tau += found.estimate * (1 - found.estimate) / min(max(c.counts[LABELS], 1), 300)  # (10)


cdef void judge_blocks(estimate_t* c, Py_ssize_t most) noexcept nogil:
    # Judge each block whose labels are in or no longer expected, and those that begin before row `most`.
    cdef Py_ssize_t start, stop
    cdef double last = -1.0
    while c.counts[OLDEST] < c.counts[ROWS] and not is_waiting(c, c.counts[OLDEST]):
        c.counts[OLDEST] += 1
    while True:
        start = c.counts[BLOCK] * step_of(c)
        stop = start + c.window
        if start < most:
            stop = min(stop, c.counts[ROWS])
        elif stop > c.counts[ROWS]:
            return
        elif c.counts[OLDEST] < stop:
            if last < 0:
                last = c.counts[ROWS] - overdue(c)
            if stop > last:
                return
        judge_block(c, start, stop)
        c.counts[BLOCK] += 1


cdef void judge_block(estimate_t* c, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    cdef double[7] error
    cdef double n = 0.0, u = 0.0, mix = 0.0, noise = 0.0, right
    cdef const double* row
    cdef Py_ssize_t number, i
    for i in range(N_EXPERTS):
        error[i] = 0.0
    for number in range(start, stop):
        if c.label[number % c.room] == NO_LABEL:
            continue
        row = c.row + (number % c.room) * c.width
        right = c.label[number % c.room] == c.answer[number % c.room]
        n += 1
        u += knowledge(c, row[KNEW])
        for i in range(N_EXPERTS):
            error[i] += row[SAID + i] - right
        mix += row[MIX] - right
        noise += row[MIX] * (1 - row[MIX])
    if n < LEAST_JUDGED:
        return
    u /= n
    for i in range(N_EXPERTS):
        right = error[i] / n
        c.expert[i * N_STATE + ERROR] = KEEP_BLOCK * c.expert[i * N_STATE + ERROR] + u * right * right
    c.sums[JUDGED] = KEEP_BLOCK * c.sums[JUDGED] + u                                             # (5)
    c.sums[MIXED] = KEEP_BLOCK * c.sums[MIXED] + u * max((mix * mix - noise) / (n * n), 0.0)
    c.sums[PARTIAL] = KEEP_BLOCK * c.sums[PARTIAL] + (u if n < stop - start else 0.0)
    c.stale = True
