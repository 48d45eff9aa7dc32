// What to type for each client. Words in capitals stand for what is made under "Secrets".

import { Alert, Select, Stack, Text } from '@mantine/core'
import { IconTerminal2 } from '@tabler/icons-react'
import { useState } from 'react'
import { certificates } from '#areas/certificates/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { Copy } from '#core/console/kit/Copy.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { PemText } from '#core/console/kit/PemText.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
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
            <Lines id={id} protocol={protocol} />
          </Stack>
        )
      }}
    </Loaded>
  )
}

function Lines({ id, protocol }: { id: string; protocol: Protocol }) {
  const query = useCall(protocolRoom.calls.commandLines, { id })
  return (
    <Loaded query={query}>
      {({ clients, approvals, template, ownerName }) => (
        <Stack gap="md">
          {approvals > 0 && <Waits {...{ protocol, approvals, template, ownerName }} />}
          {clients.map(({ name, hint, text }) => (
            <Section key={name} title={name} intro={hint.map((says) => t(says)).join(' ')} actions={<Copy value={text} label={name} />}>
              <PemText label={name} value={text} />
            </Section>
          ))}
        </Stack>
      )}
    </Loaded>
  )
}

type Waiting = { protocol: Protocol; approvals: number; template: string; ownerName: string }

/** Who copies a line and sees nothing come of it must know that somebody is asked, who, and where. */
function Waits({ protocol, approvals, template, ownerName }: Waiting) {
  const may = useMay()
  return (
    <Alert
      color="yellow"
      title={t('{count, plural, one {Somebody must agree first} other {# people must agree first}}', { count: approvals })}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {t(
            'The template {template} wants it of each certificate. Whoever may approve certificates agrees under “Approvals”, and never {ownerName}, in whose name this profile asks.',
            { template, ownerName },
          )}
        </Text>
        <Text size="sm">{t(protocolWords[protocol].says)}</Text>
        <Text size="sm">{t('A profile whose template needs no approval issues at once.')}</Text>
        {may(approvalScreen.needs) && <LinkButton to={to(approvalScreen)}>{t('Approvals')}</LinkButton>}
      </Stack>
    </Alert>
  )
}

const approvalScreen = certificates.screens.approvals
