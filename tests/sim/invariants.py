"""Every promise the auditor holds the coordinator to, by name. Each is looked at in every run."""

from collections.abc import Mapping
from types import MappingProxyType

INVARIANTS: Mapping[str, str] = MappingProxyType(
    {
        "one_seat": "A player has one seat at most, and the table the player is said to sit at has it.",
        "only_those_in_are_seated": "Nobody is seated who is out, has left or never came in.",
        "tables_are_right": "Every table has as many seats as its format wants, each with another player.",
        "everybody_is_somewhere": "When a bout is seated, everybody in it has a seat or a bye.",
        "points_are_conserved": "The scores of a hand sum to nothing, less what the house takes.",
        "scores_add_up": "A player's score is what it began with plus the hands that count.",
        "a_hand_counts_once": "No hand of any table counts twice.",
        "only_the_newest_attempt_counts": "A hand that counts is of the newest attempt that was ordered.",
        "attempts_rise_by_one": "Attempts and epochs rise one by one, and a table has one hand in play.",
        "a_repeat_is_the_same_hand": "A repeated hand has the deal, the base score and the log of the attempt before.",
        "only_the_owner_reports": "A hand that counts was reported by the server that owned the table then.",
        "nothing_is_invented": "What counts was played by somebody; who is entered was entered by somebody.",
        "the_base_never_falls": "The base score of a stage never falls.",
        "the_base_follows_its_rule": "The base score is what the definition says for the match time or the hands.",
        "bouts_do_not_overlap": "A bout is seated only when all tables of the one before have ended.",
        "no_hand_is_lost": "A round that ends by itself has as many hands as its definition says.",
        "elimination_is_final": "A player is eliminated once and is never seated again without a revival.",
        "standings_are_permutations": "A ranking names everybody it is about, once.",
        "ties_are_broken_by_rule": "Equal scores are ordered by the tie chain, as the auditor works it out.",
        "registration_numbers_are_unique": "Registration numbers rise and belong to one player each.",
        "a_payment_counts_once": "One payment brings back one player once.",
        "journal_time_never_goes_back": "The match clock never goes back.",
        "downtime_costs_nothing": "The match clock is never ahead of the time that coordinators ran the match.",
        "nothing_leaves_before_it_is_durable": "What is said rests on records that are on the disk.",
        "what_was_acknowledged_stays": "Every record that was durable is there after every restart, and in the end.",
        "replay_equals_live": "A match taken up again is the match that was live, byte for byte.",
        "snapshots_change_nothing": "A match taken up from a snapshot is the one taken up from the start.",
        "decisions_repeat": "Deciding every recorded command again leads to the same events and the same messages.",
        "an_announcement_never_changes": "What was announced is never announced otherwise, across restarts too.",
        "frames_come_once_in_order": "Of what was said in a session the other end reads each message once, in order.",
        "a_replaced_session_is_mute": "No message of a socket that was replaced has an effect.",
        "a_refusal_changes_nothing": "A command that is refused leaves the state as it was.",
        "nonsense_changes_nothing": "A frame that cannot be read leaves every match as it was.",
        "queues_stay_within_budget": "What waits for a peer stays within its budget.",
        "awards_are_paid_once": "Nobody is paid twice for the same thing.",
        "the_coordinator_never_fails": "No match stands still and no error of our own is contained.",
        "damage_is_refused": "A journal that was altered is not taken up.",
        "no_table_is_forgotten": "A table whose server stays away longer than the grace has another one, or waits.",
        "everything_ends": "Once faults stop, every match ends, every request is answered, no table is left.",
        "everybody_hears_the_same_end": "The final places that a lobby hears are those of the journal.",
    }
)
