"""The ground floor: types, money, time, digests and errors. Imports nothing of ours."""
