import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { requireFreePort } from './port.ts'

test('a port that is taken, or an address that is not here, is said in one sentence that names what to set', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as AddressInfo
  await expect(requireFreePort({ host: '127.0.0.1', port })).rejects.toThrow(
    `Port ${port} of 127.0.0.1 is in use, perhaps by a Chancery that runs already. Stop that one, or set CHANCERY_PORT to another port.`,
  )
  await expect(requireFreePort({ host: '192.0.2.1', port })).rejects.toThrow(/no such address. Set CHANCERY_HOST/)
  await new Promise((resolve) => taken.close(resolve))
  await expect(requireFreePort({ host: '127.0.0.1', port })).resolves.toBeUndefined()
})
