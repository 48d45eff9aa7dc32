import type { ScreenExample } from '#core/testing/examples.ts'
import { groupPolicy } from './contract.ts'
import { packBackup } from './pack-backup.fixture.ts'

const oneRead: ScreenExample = async (administrator) => {
  const response = await administrator.fetch(`${groupPolicy.endpoints.upload.path}?name=backup.zip`, {
    method: 'POST',
    body: new Uint8Array(packBackup({ name: `Example ${crypto.randomUUID()}` })),
  })
  const { id } = (await response.json()) as { id: string }
  return { id }
}

export const examples = { view: oneRead }
