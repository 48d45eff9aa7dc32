// What to type for each client. Words in capitals stand for what is made under "Secrets".

import { Select, Stack, Text } from '@mantine/core'
import { IconTerminal2 } from '@tabler/icons-react'
import { useState } from 'react'
import { Copy } from '#core/console/kit/Copy.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { PemText } from '#core/console/kit/PemText.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { protocolRoom } from '../contract.ts'
import type { Protocol } from '../rules.ts'
import { protocolWords } from './protocol-words.ts'

export function Commands({ protocol }: { protocol: Protocol }) {
  const profiles = useCall(protocolRoom.calls.profiles, { protocol, size: 200 })
  const [chosen, setChosen] = useState<string>()
  return (
    <Loaded query={profiles}>
      {({ rows }) => {
        const id = chosen ?? rows[0]?.id
        if (id === undefined)
          return (
            <EmptyState
              icon={IconTerminal2}
              title={t('No profiles yet')}
              text={t('Make a profile first.')}
              action={<LinkButton to={protocolWords[protocol].add}>{t(protocolWords[protocol].newProfile)}</LinkButton>}
            />
          )
        return (
          <Stack gap="md">
            <Select
              label={t('Profile')}
              allowDeselect={false}
              data={rows.map((row) => ({ value: row.id, label: row.name }))}
              value={id}
              onChange={(value) => setChosen(value ?? undefined)}
            />
            <Text size="sm">{t('Words in capitals such as CHALLENGE, REFERENCE and SECRET stand for a secret of this profile.')}</Text>
            <Lines id={id} />
          </Stack>
        )
      }}
    </Loaded>
  )
}

function Lines({ id }: { id: string }) {
  const query = useCall(protocolRoom.calls.commandLines, { id })
  return (
    <Loaded query={query}>
      {({ clients }) => (
        <Stack gap="md">
          {clients.map(({ name, hint, text }) => (
            <Section key={name} title={name} intro={hint} actions={<Copy value={text} label={name} />}>
              <PemText label={name} value={text} />
            </Section>
          ))}
        </Stack>
      )}
    </Loaded>
  )
}
