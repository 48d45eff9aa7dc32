// Where a reset link leads: other questions are set, once.

import { IconLinkOff } from '@tabler/icons-react'
import { useState } from 'react'
import { useParams } from 'react-router'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { goTo } from '#core/console/navigate.ts'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { questions } from '../contract.ts'
import { emptyQuestions, QuestionFields, sentQuestions, type QuestionValues } from '../QuestionFields.tsx'
import { makeClientSalt } from '../rules.ts'

export function ResetQuestions() {
  const { id = '' } = useParams()
  const [salt] = useState(makeClientSalt)
  const query = useCall(questions.calls.validateLink, { link_string: id })
  const mine = to(questions.screens.mine)
  return (
    <Page title={t('Reset secret questions')} narrow>
      {query.error?.code === 'linkUsed' ? (
        <EmptyState
          icon={IconLinkOff}
          title={t('This link does not work any more')}
          text={t('It has been used or has expired, or it was sent to somebody else. Your secret questions are as they were.')}
          action={<LinkButton to={mine}>{t('Secret questions')}</LinkButton>}
        />
      ) : (
        <Loaded query={query}>
          {() => (
            <Form
              call={questions.calls.reset}
              initial={emptyQuestions()}
              toInput={(values: QuestionValues) => ({ link_string: id, client_salt: salt, questions: sentQuestions(values) })}
              submit={t('Change questions')}
              cancel={{ label: t('Keep questions'), to: mine }}
              onDone={() => goTo(mine)}
            >
              {(form) => <QuestionFields form={form} salt={salt} />}
            </Form>
          )}
        </Loaded>
      )}
    </Page>
  )
}
