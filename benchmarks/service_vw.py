"""Vowpal Wabbit's daemon, which learns and answers lines of its own format."""

import argparse

import vowpalwabbit

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int)
    port = parser.parse_args().port
    options = f"--daemon --foreground --num_children 1 --port {port} --quiet --binary --link logistic"
    vowpalwabbit.Workspace(f"{options} --loss_function logistic").run_parser()
