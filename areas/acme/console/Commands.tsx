// What to type for each client. EAB_KID and EAB_HMAC_KEY stand for a key of the directory until one is made.

import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconKey, IconTerminal2 } from '@tabler/icons-react'
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
import { EabMaker, type MadeEab } from './EabMaker.tsx'
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
  const [making, setMaking] = useState(false)
  const [key, setKey] = useState<MadeEab>()
  // The page can name several directories, and a key is of one.
  const withKey = (text: string): string =>
    key === undefined || !text.includes(key.directoryUrl)
      ? text
      : text.replaceAll('EAB_KID', key.kid).replaceAll('EAB_HMAC_KEY', key.hmacKey)
  return (
    <Loaded query={query}>
      {({ clients, eabRequired }) => (
        <Stack gap="md">
          {eabRequired && (
            <Group justify="space-between">
              <Text size="sm" flex="1 1 20rem">
                {t(
                  'EAB_KID and EAB_HMAC_KEY stand for a key of this directory. Make one, and the lines below hold it until you leave this page.',
                )}
              </Text>
              <Button leftSection={<IconKey size={16} stroke={1.8} aria-hidden />} onClick={() => setMaking(true)}>
                {t('New EAB key')}
              </Button>
            </Group>
          )}
          {clients.map(({ name, hint, text }) => (
            <Section key={name} title={name} intro={hint} actions={<Copy value={withKey(text)} label={name} />}>
              <PemText label={name} value={withKey(text)} />
            </Section>
          ))}
          <Modal opened={making} onClose={() => setMaking(false)} title={t('New EAB key')} size="lg">
            {making && <EabMaker before={undefined} directoryId={id} close={() => setMaking(false)} onMade={setKey} />}
          </Modal>
        </Stack>
      )}
    </Loaded>
  )
}
