//! The `rigor` program.

fn main() -> std::process::ExitCode {
    rigor_bench::cli::main()
}
