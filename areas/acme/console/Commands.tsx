// What to type for each client. EAB_KID and EAB_HMAC_KEY stand for the key that is given out under "EAB keys".

import { Stack, Text } from '@mantine/core'
import { IconTerminal2 } from '@tabler/icons-react'
import { useState } from 'react'
import { Copy } from '#core/console/kit/Copy.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { PemText } from '#core/console/kit/PemText.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { acme } from '../contract.ts'
import { DirectoryField } from './DirectoryField.tsx'
import { useDirectories } from './use-directories.ts'

export function Commands() {
  const directories = useDirectories()
  const [chosen, setChosen] = useState<string>()
  return (
    <Loaded query={directories}>
      {({ rows }) => {
        const id = chosen ?? rows[0]?.id
        if (id === undefined) return <NoDirectory />
        return (
          <Stack gap="md">
            <DirectoryField
              field={{ name: 'directory', value: id, onChange: setChosen, onBlur: () => {}, error: undefined }}
              first={rows}
            />
            <Lines id={id} />
          </Stack>
        )
      }}
    </Loaded>
  )
}

export function NoDirectory() {
  return (
    <EmptyState
      icon={IconTerminal2}
      title={t('No directories yet')}
      text={t('Make a directory first.')}
      action={<LinkButton to={to(acme.screens.addDirectory)}>{t('New directory')}</LinkButton>}
    />
  )
}

function Lines({ id }: { id: string }) {
  const query = useCall(acme.calls.commandLines, { id })
  return (
    <Loaded query={query}>
      {({ clients, eabRequired }) => (
        <Stack gap="md">
          {eabRequired && (
            <Text size="sm">
              {t('EAB_KID and EAB_HMAC_KEY stand for a key of this directory, which is made under “EAB keys” and shown once.')}
            </Text>
          )}
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
