// Vitest runs a setup file for each test file, but what it imports once for all files of a worker.
import './record-replies.ts';
