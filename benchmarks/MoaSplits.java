import com.yahoo.labs.samoa.instances.Instance;
import com.yahoo.labs.samoa.instances.InstancesHeader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import moa.classifiers.AbstractClassifier;
import moa.classifiers.core.conditionaltests.InstanceConditionalTest;
import moa.classifiers.core.conditionaltests.NumericAttributeBinaryTest;
import moa.classifiers.trees.HoeffdingAdaptiveTree;
import moa.classifiers.trees.HoeffdingTree;
import moa.core.Utils;

/**
 * The splits of MOA's Hoeffding trees as they happen, one line each: row, input, threshold (or "each"). The last
 * line holds the rows, the correct predictions and MOA's own measure of the tree's bytes, at the end and as the
 * mean of twenty looks on the way.
 *
 * Arguments: rows, numbers of categories (both as for MoaLoop), "tree" or "adaptive", and MOA's options.
 */
public class MoaSplits {
    static int row = 0;

    static void report(InstanceConditionalTest test) {
        int input = test.getAttsTestDependsOn()[0];
        String how = "each";
        if (test instanceof NumericAttributeBinaryTest) {
            how = Double.toString(((NumericAttributeBinaryTest) test).getSplitValue());
        }
        System.out.println(row + " " + input + " " + how);
    }

    static class Tree extends HoeffdingTree {
        @Override
        protected SplitNode newSplitNode(InstanceConditionalTest test, double[] weights, int size) {
            report(test);
            return super.newSplitNode(test, weights, size);
        }
    }

    static class AdaptiveTree extends HoeffdingAdaptiveTree {
        @Override
        protected SplitNode newSplitNode(InstanceConditionalTest test, double[] weights, int size) {
            report(test);
            return super.newSplitNode(test, weights, size);
        }
    }

    public static void main(String[] arguments) throws Exception {
        String[] counts = arguments[1].split(",");
        InstancesHeader header = MoaLoop.header(counts);
        Instance[] rows = MoaLoop.rows(Path.of(arguments[0]), counts.length, header);
        AbstractClassifier tree = arguments[2].equals("tree") ? new Tree() : new AdaptiveTree();
        tree.getOptions().setViaCLIString(arguments.length > 3 ? arguments[3] : "");
        tree.setRandomSeed(1);
        tree.setModelContext(header);
        tree.prepareForUse();
        tree.resetLearning();
        tree.setModelContext(header);
        int correct = 0;
        List<Long> sizes = new ArrayList<>();
        for (Instance instance : rows) {
            if (Utils.maxIndex(tree.getVotesForInstance(instance)) == (int) instance.classValue()) correct++;
            tree.trainOnInstance(instance);
            row++;
            if (row % Math.max(rows.length / 20, 1) == 0) sizes.add(tree.measureByteSize());
        }
        double mean = sizes.stream().mapToLong(Long::longValue).average().orElse(0);
        System.out.printf(Locale.ROOT, "end %d %d %d %.0f%n", row, correct, tree.measureByteSize(), mean);
    }
}
