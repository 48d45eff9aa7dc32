import type { ScreenExample, ScreenExamples } from '#core/testing/examples.ts'
import { protocolRoom } from './contract.ts'
import type { Protocol } from './rules.ts'

type Administrator = Parameters<ScreenExample>[0]

async function profileOf(administrator: Administrator, protocol: Protocol): Promise<{ id: string }> {
  const [template] = (await administrator.call(protocolRoom.calls.choices, {})).templates
  const { id } = await administrator.call(protocolRoom.calls.addProfile, {
    protocol,
    name: `Example ${crypto.randomUUID()}`,
    templateId: template?.templateId ?? '',
  })
  return { id }
}

const challenge = async (administrator: Administrator) => {
  const { id: profileId } = await profileOf(administrator, 'scep')
  const { link } = await administrator.call(protocolRoom.calls.addChallenge, {
    profileId,
    name: 'Router',
    names: { DNS: ['router.example.org'] },
  })
  return { id: decodeURIComponent(new URL(link).pathname.split('/').at(-1) ?? '') }
}

export const examples = {
  editScep: (administrator: Administrator) => profileOf(administrator, 'scep'),
  intune: (administrator: Administrator) => profileOf(administrator, 'scep'),
  editEst: (administrator: Administrator) => profileOf(administrator, 'est'),
  editCmp: (administrator: Administrator) => profileOf(administrator, 'cmp'),
  editWindows: (administrator: Administrator) => profileOf(administrator, 'windows'),
  retrieveChallenge: challenge,
} satisfies ScreenExamples
