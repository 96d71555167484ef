"""The table of targets: every entry point, with its inputs and the function that takes them.

Weights are shares of all cases, roughly inverse to the cost of a case.
"""

from tests.fuzz import (
    botzone,
    checkpoints,
    commands,
    environments,
    files,
    offline,
    players,
    positions,
    questions,
    rules,
    web,
)
from tests.fuzz.target import Target
from tests.fuzz.values import anything

TARGETS = (
    Target("rules-texts", rules.texts, rules.read_text, 60),
    Target("rules-mappings", rules.mappings, rules.read_mapping, 60),
    Target("rules-documents", rules.documents, rules.read_document, 40),
    Target("rules-anything", anything, rules.read_anything, 20),
    Target("referee", questions.questions, questions.ask, 80),
    Target("notations", questions.notations, questions.read_notation, 80),
    Target("aec-arguments", environments.aec_arguments, environments.make_aec, 30, environments.prepare),
    Target("single-arguments", environments.single_arguments, environments.make_single, 30, environments.prepare),
    Target("batch-arguments", environments.batch_arguments, environments.make_batch, 30, environments.prepare_threads),
    Target(
        "rounds-arguments", environments.rounds_arguments, environments.play_rounds, 20, environments.prepare_threads
    ),
    Target("seats-arguments", environments.seats_arguments, environments.make_seats, 20, environments.prepare),
    Target("plays-arguments", environments.plays_arguments, environments.make_plays, 20, environments.prepare),
    Target(
        "plays-batch-arguments",
        environments.plays_batch_arguments,
        environments.make_plays_batch,
        20,
        environments.prepare,
    ),
    Target("starts", environments.starts, environments.begin, 50, environments.prepare),
    Target("aec-actions", environments.aec_actions, environments.act_aec, 60, environments.prepare),
    Target("single-actions", environments.single_actions, environments.act_single, 40, environments.prepare),
    Target("batch-actions", environments.batch_actions, environments.act_batch, 60, environments.prepare),
    Target("seats-actions", environments.batch_actions, environments.act_seats, 30, environments.prepare),
    Target("plays-actions", environments.single_actions, environments.act_plays, 30, environments.prepare),
    Target("plays-batch-actions", environments.batch_actions, environments.act_plays_batch, 30, environments.prepare),
    Target("position-texts", positions.texts, positions.read_text, 30, positions.prepare),
    Target("position-documents", positions.documents, positions.read_document, 30, positions.prepare),
    Target("position-plays", positions.plays, positions.play, 30, positions.prepare),
    Target("records", files.records, files.read_record, 40, files.prepare_files),
    Target("record-texts", files.record_texts, files.read_record_text, 40, files.prepare_files),
    Target("record-files", files.record_files, files.replay_file, 30, files.prepare_files),
    Target("lost-deals", files.records, files.replay_lost, 30, files.prepare_files),
    Target("record-arrays", offline.arrays, offline.read_arrays, 30, offline.prepare),
    Target("given-rounds", offline.given_rounds, offline.take_round, 30, offline.prepare),
    Target("snapshots", files.snapshots, files.load_snapshot, 60, files.prepare_files),
    Target("policies", files.policies, files.load_policy, 40, files.prepare_files),
    Target("values-files", files.value_files, files.load_values, 30, files.prepare_files),
    Target("checkpoints", checkpoints.checkpoints, checkpoints.resume, 6, checkpoints.prepare),
    Target("tournament-files", files.stores, files.go_on, 20, files.prepare_files),
    Target("rollout-shards", files.shards, files.read_rollouts, 40, files.prepare_files),
    Target("tournaments", players.tournaments, players.hold_tournament, 15, players.prepare),
    Target("chunks", players.chunks, players.play_one_chunk, 10, players.prepare),
    Target("player-texts", players.texts, players.make, 40, players.prepare),
    Target("player-answers", players.answers, players.play, 20, players.prepare),
    Target("typed-lines", players.typed, players.type_lines, 10, players.prepare),
    Target("command-lines", commands.command_lines, commands.run_command, 6, players.prepare),
    Target("train-lines", commands.train_lines, commands.run_train, 20),
    Target("config-files", commands.config_files, commands.read_config_file, 30),
    Target("config-trees", commands.config_trees, commands.read_config_tree, 20),
    Target("web-messages", web.messages, web.hear_message, 60, web.prepare),
    Target("web-evenings", web.evenings, web.go_on, 20, web.prepare),
    Target("public-urls", web.public_urls, web.read_url, 40),
    Target("botzone-requests", botzone.requests, botzone.hear_requests, 20, botzone.prepare),
    Target("botzone-matches", botzone.bodies, botzone.fetch, 40),
    Target("botzone-answers", botzone.printed, botzone.hear_program, 40),
    Target("overrides", commands.overrides, commands.assign, 30),
)
"""Every way in."""
