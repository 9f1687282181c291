# does: turns the files of the record into links, pipes and folders
# cap: 0
# flag: something
import os

os.symlink("/etc/passwd", "/evidence/events-77.jsonl")
os.symlink("/proc/self/environ", "/evidence/stack-0.txt")
os.mkfifo("/evidence/events-78.jsonl")
os.mkfifo("/evidence/stack-1.txt")
os.mkdir("/evidence/weights-0-0.safetensors")
os.link("/evidence/events-1.jsonl", "/evidence/events-79.jsonl")
os.symlink("/dev/zero", "/evidence/weights-1-0.safetensors")
