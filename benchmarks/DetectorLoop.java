// One pass of a MOA change detector over losses held in memory for every line read.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Paths;
import moa.classifiers.core.driftdetection.ChangeDetector;
import moa.options.AbstractOptionHandler;
import moa.options.ClassOption;

public class DetectorLoop {
    public static void main(String[] arguments) throws Exception {
        byte[] bytes = Files.readAllBytes(Paths.get(arguments[0]));
        double[] losses = new double[bytes.length / 8];
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer().get(losses);
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("{\"ready\": true}");
        while (lines.readLine() != null) {
            ChangeDetector detector = (ChangeDetector) ClassOption.cliStringToObject(arguments[1], ChangeDetector.class, null);
            ((AbstractOptionHandler) detector).prepareForUse();
            detector.resetLearning();
            StringBuilder alarms = new StringBuilder();
            StringBuilder warnings = new StringBuilder();
            boolean tells = arguments.length > 2;
            long start = clock.getCurrentThreadCpuTime();
            for (int i = 0; i < losses.length; i++) {
                detector.input(losses[i]);
                if (detector.getChange()) {
                    alarms.append(alarms.length() > 0 ? ", " : "").append(i);
                } else if (tells && detector.getWarningZone()) {
                    warnings.append(warnings.length() > 0 ? ", " : "").append(i);
                }
            }
            double seconds = (clock.getCurrentThreadCpuTime() - start) / 1e9;
            System.out.println("{\"rows\": " + losses.length + ", \"seconds\": " + seconds + ", \"alarms\": ["
                + alarms + "], \"warnings\": [" + warnings + "]}");
        }
    }
}
