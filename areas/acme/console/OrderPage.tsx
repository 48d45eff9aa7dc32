// One order: what came of it, each name with its challenges, and what was seen from where.

import { Alert, Group, Stack, Text, Title } from '@mantine/core'
import { useParams } from 'react-router'
import { certificatePath } from '#areas/certificates/paths.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { acme } from '../contract.ts'
import { authorizationWords, challengeWords, orderWords } from './order-words.ts'
import { Sightings } from './Sightings.tsx'

type Order = OutputOf<typeof acme.calls.order>
type Authorization = Order['authorizations'][number]

export function OrderPage() {
  const { id = '' } = useParams()
  const query = useCall(acme.calls.order, { id })
  if (query.data !== undefined) return <Shown order={query.data} />
  return (
    <Page title={t('ACME order')}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

function Shown({ order }: { order: Order }) {
  const { kind, label } = orderWords[order.status]
  return (
    <DetailPage title={order.names.join(', ')} status={<Status of={kind} label={t(label)} />}>
      <Stack gap="md">
        {order.error !== undefined && (
          <Alert color="red" title={order.error.type}>
            {t(order.error.detail)}
          </Alert>
        )}
        <Section title={t('Order')}>
          <Facts
            items={[
              { label: t('Directory'), value: order.directoryName },
              { label: t('Profile'), value: order.profile },
              { label: t('Account'), value: <Mono value={order.accountId} />, copy: order.accountId },
              { label: t('From'), value: order.address },
              { label: t('Ordered'), value: <DateTime at={order.createdAt} /> },
              { label: t('To be finished by'), value: <DateTime at={order.expiresAt} /> },
              order.replaces !== undefined && { label: t('Replaces'), value: <Mono value={order.replaces} /> },
              order.certificateId !== undefined && {
                label: t('Certificate'),
                value: <TextLink to={certificatePath(order.certificateId)}>{t('View certificate')}</TextLink>,
              },
            ]}
          />
        </Section>
        {order.authorizations.map((authorization) => (
          <AuthorizationSection key={authorization.id} authorization={authorization} />
        ))}
      </Stack>
    </DetailPage>
  )
}

function AuthorizationSection({ authorization: { name, wildcard, status, expiresAt, challenges } }: { authorization: Authorization }) {
  const { kind, label } = authorizationWords[status]
  // What was tried stands first, because that is what somebody looks for.
  const ordered = challenges.toSorted((a, b) => b.attempts - a.attempts)
  return (
    <Section
      title={wildcard ? `*.${name}` : name}
      intro={
        <>
          {t('Until')} <DateTime at={expiresAt} />
        </>
      }
      actions={<Status of={kind} label={t(label)} />}
    >
      <Stack gap="md">
        {ordered.map((challenge) => (
          <Stack key={challenge.type} gap={4}>
            <Group gap="xs">
              <Title order={3} size="h5">
                {challenge.type}
              </Title>
              <Status of={challengeWords[challenge.status].kind} label={t(challengeWords[challenge.status].label)} />
            </Group>
            {challenge.error !== undefined && challenge.evidence.length === 0 && (
              <Text size="sm" c="red">
                {t(challenge.error.detail)}
              </Text>
            )}
            <Sightings sightings={challenge.evidence} />
          </Stack>
        ))}
      </Stack>
    </Section>
  )
}
