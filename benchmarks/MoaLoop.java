import com.yahoo.labs.samoa.instances.Attribute;
import com.yahoo.labs.samoa.instances.DenseInstance;
import com.yahoo.labs.samoa.instances.Instance;
import com.yahoo.labs.samoa.instances.Instances;
import com.yahoo.labs.samoa.instances.InstancesHeader;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import moa.classifiers.Classifier;
import moa.classifiers.active.ALUncertainty;
import moa.core.Utils;
import moa.options.ClassOption;
import sizeof.agent.SizeOfAgent;

/**
 * Test-then-train with a MOA classifier over rows held in memory: one pass for every line read, which holds the
 * CPU seconds after which to stop, and perhaps a seed; the line "bytes" asks for the size of the classifier after the
 * last pass. The seconds reported are the loop's own thread: compiling and collecting garbage run beside it.
 *
 * Arguments: the rows (little-endian doubles, the class last), the number of categories of every column (0 is
 * numeric) joined by commas, and the classifier as MOA's command line writes it.
 */
public class MoaLoop {
    static Classifier classifier;

    public static void main(String[] arguments) throws Exception {
        String[] counts = arguments[1].split(",");
        InstancesHeader header = header(counts);
        Instance[] rows = rows(Path.of(arguments[0]), counts.length, header);
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("{\"ready\": true}");
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            if (line.equals("bytes")) {
                System.out.println("{\"bytes\": " + SizeOfAgent.fullSizeOf(classifier) + "}");
                continue;
            }
            String[] asked = line.trim().split(" ");
            int seed = asked.length > 1 ? Integer.parseInt(asked[1]) : 1;
            System.out.println(pass(arguments[2], header, rows, Double.parseDouble(asked[0]), seed));
        }
    }

    static InstancesHeader header(String[] counts) {
        List<Attribute> attributes = new ArrayList<>();
        for (int j = 0; j < counts.length; j++) {
            int count = Integer.parseInt(counts[j]);
            attributes.add(count == 0 ? new Attribute("x" + j) : new Attribute("x" + j, values(count)));
        }
        InstancesHeader header = new InstancesHeader(new Instances("rows", attributes, 0));
        header.setClassIndex(counts.length - 1);
        return header;
    }

    static List<String> values(int count) {
        List<String> values = new ArrayList<>();
        for (int k = 0; k < count; k++) values.add("v" + k);
        return values;
    }

    static Instance[] rows(Path file, int width, InstancesHeader header) throws Exception {
        DoubleBuffer cells;
        try (FileChannel channel = FileChannel.open(file)) {
            ByteBuffer bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
            cells = bytes.order(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer();
        }
        Instance[] rows = new Instance[cells.capacity() / width];
        for (int i = 0; i < rows.length; i++) {
            double[] row = new double[width];
            cells.get(row);
            rows[i] = new DenseInstance(1.0, row);
            rows[i].setDataset(header);
        }
        return rows;
    }

    static String pass(String commandLine, InstancesHeader header, Instance[] rows, double seconds, int seed)
            throws Exception {
        classifier = (Classifier) ClassOption.cliStringToObject(commandLine, Classifier.class, null);
        classifier.setRandomSeed(seed);
        boolean asks = classifier instanceof ALUncertainty; // has no member before it is prepared
        if (!asks) classifier.setModelContext(header);
        classifier.prepareForUse();
        classifier.resetLearning();
        classifier.setModelContext(header);
        ThreadMXBean thread = ManagementFactory.getThreadMXBean();
        long start = thread.getCurrentThreadCpuTime();
        int n = 0;
        int correct = 0;
        for (Instance row : rows) {
            if (Utils.maxIndex(classifier.getVotesForInstance(row)) == (int) row.classValue()) correct++;
            classifier.trainOnInstance(row);
            if (++n % 1000 == 0 && thread.getCurrentThreadCpuTime() - start > seconds * 1e9) break;
        }
        double cpu = (thread.getCurrentThreadCpuTime() - start) / 1e9;
        int labels = asks ? ((ALUncertainty) classifier).costLabeling : n;
        String answer = "{\"rows\": %d, \"correct\": %d, \"seconds\": %.6f, \"labels\": %d}";
        return String.format(Locale.ROOT, answer, n, correct, cpu, labels);
    }
}
