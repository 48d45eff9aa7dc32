// What came of a sign-in that an administrator tried: the claims, the rules that matched, and why it would be refused.

import { Alert, Stack } from '@mantine/core'
import { useParams } from 'react-router'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { sso } from '../contract.ts'
import { refusals } from '../rules.ts'

type Known = NonNullable<OutputOf<typeof sso.calls.readTry>['tried']>
type Judgement = NonNullable<Known['judgement']>

export function Tried() {
  const { id = '', tryId = '' } = useParams()
  const query = useCall(sso.calls.readTry, { id: tryId })
  return (
    <Page
      title={t('Tried sign-in')}
      intro={t('Nobody was signed in, and nothing was changed.')}
      actions={<LinkButton to={to(sso.screens.view, { id })}>{t('Back to the provider')}</LinkButton>}
    >
      <Loaded query={query}>
        {({ tried }) =>
          tried === undefined ? (
            <EmptyState
              title={t('This try is not kept any more')}
              text={t('What was tried can be read for an hour, by whoever tried it.')}
            />
          ) : (
            <Shown tried={tried} />
          )
        }
      </Loaded>
    </Page>
  )
}

function Shown({ tried: { begunAt, endedAt, claims, judgement } }: { tried: Known }) {
  return (
    <Stack gap="md">
      {judgement === undefined ? (
        <Alert title={t('Nobody has come back from the provider yet')}>
          {t('Begun')} <DateTime at={begunAt} />
        </Alert>
      ) : (
        <Outcome judgement={judgement} at={endedAt ?? begunAt} />
      )}
      {claims.length > 0 && (
        <Section title={t('Claims')}>
          <SmallTable
            label={t('Claims')}
            rows={claims}
            rowId={({ name }) => name}
            columns={[
              { label: t('Claim'), cell: ({ name }) => name },
              { label: t('Value'), cell: ({ value }) => value },
            ]}
          />
        </Section>
      )}
    </Stack>
  )
}

const accountWords = {
  known: () => t('Known by this identity'),
  link: () => t('Would be linked by the address'),
  create: () => t('Would be made'),
}

function Outcome({ judgement: { account, refusal, detail, roles, rules, strong }, at }: { judgement: Judgement; at: string }) {
  return (
    <>
      {refusal === undefined ? (
        <Alert color="green" title={t('This person would be signed in')} />
      ) : (
        <Alert color="red" title={t('This person would be refused')}>
          {[t(refusals[refusal]), detail].filter((text) => text !== '').join('. ')}
        </Alert>
      )}
      <Section title={t('Result')}>
        <Facts
          items={[
            { label: t('Tried'), value: <DateTime at={at} /> },
            { label: t('Account'), value: account === undefined ? '' : `${account.username}: ${accountWords[account.outcome]()}` },
            { label: t('Roles'), value: roles.join(', ') },
            { label: t('Second factor'), value: strong ? t('Given at the provider') : t('Not given at the provider') },
          ]}
        />
      </Section>
      {rules.length > 0 && (
        <Section title={t('Rules')}>
          <SmallTable
            label={t('Rules')}
            rows={rules.map((rule, at_) => ({ ...rule, number: at_ + 1 }))}
            rowId={({ number }) => String(number)}
            columns={[
              { label: t('Rule'), cell: ({ number }) => number },
              {
                label: t('Result'),
                aside: true,
                cell: ({ matched }) => <Status of={matched ? 'done' : 'disabled'} label={matched ? t('Matches') : t('Does not match')} />,
              },
              { label: t('Claim'), cell: ({ claim }) => claim },
              { label: t('Value'), cell: ({ value }) => value },
            ]}
          />
        </Section>
      )}
    </>
  )
}
