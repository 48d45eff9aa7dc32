// A file that the server makes out of what is sent to it: like a call, but the answer is bytes.

import { bootstrapStore } from './bootstrap.ts'
import { answeredFault, transportFault } from './call-fault.ts'
import { handleGlobally } from './global-faults.ts'
import { antiForgery, baseAddress } from './send.ts'

export async function sendForFile(path: string, body: unknown, failed: string): Promise<Blob> {
  const address = baseAddress + path
  const tenantId = bootstrapStore.getState().bootstrap?.viewer?.tenantId
  const response = await fetch(address, {
    method: 'POST',
    credentials: 'include',
    headers: { 'content-type': 'application/json', ...(tenantId === undefined ? {} : { 'x-chancery-tenancy': tenantId }), ...antiForgery(address) },
    body: JSON.stringify(body),
  }).catch((cause: unknown) => {
    throw transportFault({ failed }, 'network_error', cause)
  })
  if (response.ok) return response.blob()
  const fault = answeredFault({ failed }, response.status, await response.json().catch(() => undefined))
  handleGlobally(fault)
  throw fault
}
