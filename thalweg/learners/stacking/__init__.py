"""The default learner: different learners, stacked by logistic regression."""
