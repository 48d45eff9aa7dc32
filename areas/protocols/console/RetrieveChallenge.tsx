// The page behind the link of a SCEP challenge. Opening it spends nothing, because mail programs open links by themselves; a press shows the challenge, once.

import { Alert, Button, Stack, Text } from '@mantine/core'
import { IconLinkOff } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useParams } from 'react-router'
import { asCallFault, CallFault } from '#core/console/call-fault.ts'
import { Copy } from '#core/console/kit/Copy.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { PemText } from '#core/console/kit/PemText.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { EmptyState, ErrorState, LoadingState } from '#core/console/kit/states.tsx'
import { usePublicBrand } from '#core/console/public-brand.ts'
import { useSend } from '#core/console/queries.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { protocolRoom } from '../contract.ts'

type Told = OutputOf<typeof protocolRoom.calls.challengePage>
type Shown = OutputOf<typeof protocolRoom.calls.revealChallenge>

export function RetrieveChallenge() {
  const { id = '' } = useParams()
  const [told, setTold] = useState<Told | CallFault>()
  const [shown, setShown] = useState<Shown>()
  const reveal = useSend(protocolRoom.calls.revealChallenge)
  useEffect(() => {
    let gone = false
    send(protocolRoom.calls.challengePage, { id }).then(
      (answer) => void (gone || setTold(answer)),
      (error: unknown) => void (gone || setTold(asCallFault(error))),
    )
    return () => void (gone = true)
  }, [id])
  const isRefused = told instanceof CallFault
  usePublicBrand(
    told === undefined || isRefused
      ? undefined
      : { name: told.tenancyName, bannerColour: told.bannerColour, supportEmail: told.supportEmail },
  )
  const show = () => reveal.run({ id }).then(setShown, (error: unknown) => setTold(asCallFault(error)))

  return (
    <Page title={t('SCEP challenge')}>
      {told === undefined ? (
        <LoadingState />
      ) : isRefused ? (
        told.code === 'gone' ? (
          <EmptyState
            icon={IconLinkOff}
            title={t('This link is not valid')}
            text={t('It may be incomplete, used or over. Ask whoever gave it to you for another one.')}
          />
        ) : (
          <ErrorState fault={told} />
        )
      ) : (
        <Stack gap="md">
          <Text>{t('{tenancy} lets a device ask for its certificate by SCEP.', { tenancy: told.tenancyName })}</Text>
          <Section>
            <Facts
              items={[
                { label: t('For'), value: told.name },
                { label: t('Names'), value: told.names.join(', ') || t('All that the template allows') },
                { label: t('Address'), value: <Mono value={told.url} />, copy: told.url },
                { label: t('Ends'), value: <DateTime at={told.expiresAt} /> },
              ]}
            />
          </Section>
          {shown === undefined ? (
            <Section title={t('Challenge')}>
              <Stack gap="md" align="flex-start">
                <Text>{t('It is shown once. Press when you are at the device.')}</Text>
                <Button onClick={() => void show()} loading={reveal.pending}>
                  {t('Show challenge')}
                </Button>
              </Stack>
            </Section>
          ) : (
            <>
              <Alert color="yellow" title={t('Copy it now')}>
                {t('The challenge is not shown again.')}
              </Alert>
              <Facts items={[{ label: t('Challenge'), value: <Mono value={shown.challenge} />, copy: shown.challenge }]} />
              {shown.commands.map(({ name, text }) => (
                <Section key={name} title={name} actions={<Copy value={text} label={name} />}>
                  <PemText label={name} value={text} />
                </Section>
              ))}
            </>
          )}
        </Stack>
      )}
    </Page>
  )
}
