import { sessions } from '#areas/sessions/contract.ts'
import type { ScreenExample } from '#core/testing/examples.ts'
import { groupPolicy } from './contract.ts'
import { packBackup } from './pack-backup.fixture.ts'

const oneRead: ScreenExample = async (administrator) => {
  const session = (await administrator.session?.()) ?? administrator
  const { viewer } = await session.call(sessions.calls.bootstrap, {})
  const response = await session.fetch(`${groupPolicy.endpoints.upload.path}?name=backup.zip`, {
    method: 'POST',
    headers: { 'x-chancery-tenancy': viewer?.tenantId ?? '' },
    body: new Uint8Array(packBackup({ name: `Example ${crypto.randomUUID()}` })),
  })
  const { id } = (await response.json()) as { id: string }
  return { id }
}

export const examples = { view: oneRead }
