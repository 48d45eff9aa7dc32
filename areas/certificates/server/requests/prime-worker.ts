// The thread that large-keys.ts asks.

import { parentPort } from 'node:worker_threads'
import { isPrimeModulus } from '#standards/x509/rsa-checks.ts'

parentPort?.on('message', (modulus: Uint8Array) => parentPort?.postMessage(isPrimeModulus(modulus), []))
