// As many independent multiply-adds as a processor can do at once: twelve registers of doubles, eight where it
// has AVX-512, else four. More would not fit into the sixteen registers that AVX2 has.
#ifdef __AVX512F__
enum { LANES = 8, REGISTERS = 12 };
#else
enum { LANES = 4, REGISTERS = 12 };
#endif
typedef double lanes __attribute__((vector_size(8 * LANES)));

long per_round(void)
{
    return LANES * REGISTERS;
}

double peak(long n_rounds)
{
    lanes sum[REGISTERS], factor = {0}, term = {0};
    for (int i = 0; i < LANES; i++) {
        factor[i] = 0.999;
        term[i] = 1e-3 * i;
    }
    for (int r = 0; r < REGISTERS; r++)
        sum[r] = term + r;
    for (long n = 0; n < n_rounds; n++)
        for (int r = 0; r < REGISTERS; r++)
            sum[r] = sum[r] * factor + term;
    double total = 0;
    for (int r = 0; r < REGISTERS; r++)
        for (int i = 0; i < LANES; i++)
            total += sum[r][i];
    return total;
}
