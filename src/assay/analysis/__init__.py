"""What one asks of finished runs: compare, gate, agree with people, calibrate, correct, diagnose."""
